package dev.rialto.jit.lower;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.Assign;
import dev.rialto.jit.Mode;
import dev.rialto.jit.Node;
import dev.rialto.jit.Op;
import dev.rialto.jit.Scalar;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Computes nodes where they are used instead of storing them: chains of elementwise assignments
 * become one, and reductions take their operands' computation in.
 *
 * <p>A node can be virtual if it is set once, everywhere, by an assignment without sums, and
 * nothing that this reads changes before the last use. One that is filled first and then set in
 * places, such as a diagonal, can be too: its uses ask whether they are at such a place. It is made
 * so if that costs little: each element is used once, or computing it is cheaper than loading it.
 */
final class Inline {
  private static final Set<Op> COSTLY =
      EnumSet.of(Op.EXP, Op.LOG, Op.SIN, Op.COS, Op.TANH, Op.POW, Op.DIV, Op.RECIP, Op.SQRT);

  /** Bodies beyond this only make code long. */
  private static final int MOST_OPERATORS = 64;

  /**
   * What is left.
   *
   * @param assigns the assignments
   * @param reasons for each node that could have vanished, why it did or did not
   */
  record Result(List<Assign> assigns, Map<Node, String> reasons) {}

  private final List<Assign> assigns;
  private final Map<Node, List<Integer>> definitions = new HashMap<>();

  private Inline(List<Assign> assigns) {
    this.assigns = assigns;
    for (int i = 0; i < assigns.size(); i++) {
      definitions.computeIfAbsent(assigns.get(i).target(), _ -> new ArrayList<>()).add(i);
    }
  }

  static Result apply(List<Assign> assigns, Set<Node> inputs) {
    List<Assign> now = assigns;
    Map<Node, String> reasons = new LinkedHashMap<>();
    int at = 0;
    while (at < now.size()) {
      Node node = now.get(at).target();
      boolean stored = inputs.contains(node) || !node.modes().contains(Mode.VIRTUAL);
      Inline inline = new Inline(now);
      @Nullable Definition definition = stored ? null : Definition.of(inline.all(node));
      @Nullable String obstacle = inline.obstacle(node, definition);
      if (definition == null || obstacle != null) {
        reasons.put(node, String.valueOf(obstacle));
        at++;
      } else {
        reasons.put(node, "computing it where it is used costs little");
        now =
            now.stream()
                .filter(user -> user.target() != node)
                .map(user -> substitute(user, definition))
                .toList();
      }
    }
    return new Result(now, reasons);
  }

  private List<Assign> all(Node node) {
    return requireNonNull(definitions.get(node)).stream().map(assigns::get).toList();
  }

  /** Why a node must be stored, or null. */
  private @Nullable String obstacle(Node node, @Nullable Definition definition) {
    if (definition == null) {
      return "it is summed up, or assigned in several ways";
    }
    Set<Node> needs = new HashSet<>();
    definition.value().reads().forEach(read -> needs.add(read.node()));
    List<Integer> places = requireNonNull(definitions.get(node));
    int at = places.getFirst();
    int last = places.getLast();
    for (int i = 0; i < assigns.size(); i++) {
      for (Scalar.Read read : assigns.get(i).body().reads()) {
        if (read.node() == node) {
          if (read.merged() || i < places.getLast()) {
            return "it is read before it is assigned, or from a merge buffer";
          }
          if (!definition.isSafeAt(read.index())) {
            return "where it is padded, what it is computed from would be read outside";
          }
          last = Math.max(last, i);
        }
      }
    }
    for (int i = at; i < last; i++) {
      if (needs.contains(assigns.get(i).target())) {
        return "what it is computed from changes before its last use";
      }
    }
    // The last user may overwrite what it reads only where it reads it, and once.
    Assign user = assigns.get(last);
    if (last != places.getLast()
        && needs.contains(user.target())
        && !(user.isInjective()
            && user.reducedLoops().isEmpty()
            && keepsPlace(substitute(user, definition)))) {
      return "its last use overwrites what it is computed from";
    }
    return cost(node, definition);
  }

  private static boolean keepsPlace(Assign a) {
    return a.body().reads().stream()
        .filter(read -> read.node() == a.target())
        .allMatch(read -> read.index().equals(a.index()));
  }

  /** Why computing a node where it is used takes longer than loading it, or null. */
  private @Nullable String cost(Node node, Definition definition) {
    int size = definition.value().operators();
    int visits = 0;
    for (Assign user : assigns) {
      // What is read twice in one place is computed once there.
      for (Scalar.Read read : new HashSet<>(user.body().reads())) {
        if (read.node() == node) {
          boolean once =
              user.loops().stream()
                  .allMatch(loop -> read.index().stream().anyMatch(i -> i.factor(loop) != 0));
          visits += once ? 1 : 4;
          if (user.body().operators() + size > MOST_OPERATORS) {
            return "the code of its uses would become too long";
          }
        }
      }
    }
    boolean again =
        definition.isEverywhere()
            && isCheap(definition.value())
            && (size == 0 || (size <= 2 && visits <= 8));
    return visits <= 1 || again ? null : "its elements are used more than once and cost more";
  }

  /** Whether computing a value again takes no longer than loading it. */
  static boolean isCheap(Scalar body) {
    return !(body instanceof Scalar.Apply apply && COSTLY.contains(apply.op()))
        && !(body instanceof Scalar.Random)
        && body.parts().stream().allMatch(Inline::isCheap);
  }

  private static Assign substitute(Assign user, Definition definition) {
    Scalar body = substitute(user.body(), definition);
    return new Assign(user.target(), user.index(), user.accum(), user.fresh(), user.loops(), body);
  }

  private static Scalar substitute(Scalar scalar, Definition definition) {
    if (scalar instanceof Scalar.Read read && read.node() == definition.node()) {
      return definition.at(read.index());
    }
    if (scalar instanceof Scalar.Apply(Op op, List<Scalar> operands)
        && op == Op.POW
        && operands.get(1) instanceof Scalar.Read) {
      // Powers with a constant are other powers, and this one is not written as a constant.
      Scalar exponent = substitute(operands.get(1), definition);
      return Scalar.apply(
          op,
          substitute(operands.get(0), definition),
          exponent instanceof Scalar.Const ? new Scalar.Cast(exponent.type(), exponent) : exponent);
    }
    return scalar.map(part -> substitute(part, definition));
  }
}
