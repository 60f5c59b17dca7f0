package dev.rialto.jit.lower;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.Accum;
import dev.rialto.jit.Affine;
import dev.rialto.jit.Assign;
import dev.rialto.jit.Mode;
import dev.rialto.jit.Node;
import dev.rialto.jit.Op;
import dev.rialto.jit.Scalar;
import dev.rialto.jit.Symbol;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Computes nodes where they are used instead of storing them: chains of elementwise assignments
 * become one, and reductions take their operands' computation in.
 *
 * <p>A node can be virtual if it is set once, everywhere, by an assignment without sums, and
 * nothing that this reads changes before the last use. It is made so if that costs little: each
 * element is used once, or computing it is cheaper than loading it.
 */
final class Inline {
  private static final Set<Op> COSTLY =
      EnumSet.of(Op.EXP, Op.LOG, Op.SIN, Op.COS, Op.TANH, Op.POW, Op.DIV, Op.RECIP, Op.SQRT);

  /** Bodies beyond this only make code long. */
  private static final int MOST_OPERATORS = 64;

  private final List<Assign> assigns;
  private final Map<Node, Integer> definitions = new HashMap<>();

  private Inline(List<Assign> assigns) {
    this.assigns = assigns;
    for (int i = 0; i < assigns.size(); i++) {
      definitions.merge(assigns.get(i).target(), i, (_, _) -> -1);
    }
  }

  static List<Assign> apply(List<Assign> assigns, Set<Node> inputs) {
    List<Assign> now = assigns;
    for (int i = 0; i < now.size(); i++) {
      Inline inline = new Inline(now);
      Assign definition = now.get(i);
      if (!inputs.contains(definition.target()) && inline.mayVanish(i) && inline.pays(i)) {
        List<Assign> next = new ArrayList<>(now.subList(0, i));
        for (Assign user : now.subList(i + 1, now.size())) {
          next.add(substitute(user, definition));
        }
        now = next;
        i--;
      }
    }
    return now;
  }

  private boolean mayVanish(int at) {
    Assign a = assigns.get(at);
    Node node = a.target();
    if (!node.modes().contains(Mode.VIRTUAL)
        || requireNonNull(definitions.get(node)) != at
        || a.accum() != Accum.SET
        || !a.reducedLoops().isEmpty()
        || !a.isInjective()
        || !a.isSurjective()) {
      return false;
    }
    Set<Node> needs = new HashSet<>();
    a.body().reads().forEach(read -> needs.add(read.node()));
    int last = at;
    for (int i = at + 1; i < assigns.size(); i++) {
      for (Scalar.Read read : assigns.get(i).body().reads()) {
        if (read.node() == node) {
          if (read.merged()) {
            return false;
          }
          last = i;
        }
      }
    }
    for (int i = at; i < last; i++) {
      if (needs.contains(assigns.get(i).target())) {
        return false;
      }
    }
    // The last user may overwrite what it reads only where it reads it.
    Assign user = assigns.get(last);
    return last == at || !needs.contains(user.target()) || keepsPlace(substitute(user, a));
  }

  private static boolean keepsPlace(Assign a) {
    return a.body().reads().stream()
        .filter(read -> read.node() == a.target())
        .allMatch(read -> read.index().equals(a.index()));
  }

  private boolean pays(int at) {
    Assign a = assigns.get(at);
    int size = a.body().operators();
    int visits = 0;
    for (Assign user : assigns.subList(at + 1, assigns.size())) {
      // What is read twice in one place is computed once there.
      for (Scalar.Read read : new HashSet<>(user.body().reads())) {
        if (read.node() == a.target()) {
          boolean once =
              user.loops().stream()
                  .allMatch(loop -> read.index().stream().anyMatch(i -> i.factor(loop) != 0));
          visits += once ? 1 : 4;
          if (user.body().operators() + size > MOST_OPERATORS) {
            return false;
          }
        }
      }
    }
    boolean cheap = isCheap(a.body());
    return visits <= 1 || (cheap && (size == 0 || (size <= 2 && visits <= 8)));
  }

  /** Whether computing a value again takes no longer than loading it. */
  static boolean isCheap(Scalar body) {
    return !(body instanceof Scalar.Apply apply && COSTLY.contains(apply.op()))
        && !(body instanceof Scalar.Random)
        && body.parts().stream().allMatch(Inline::isCheap);
  }

  private static Assign substitute(Assign user, Assign definition) {
    Scalar body = substitute(user.body(), definition);
    return new Assign(user.target(), user.index(), user.accum(), user.fresh(), user.loops(), body);
  }

  private static Scalar substitute(Scalar scalar, Assign definition) {
    if (scalar instanceof Scalar.Read read && read.node() == definition.target()) {
      Map<Symbol, Affine> by = new HashMap<>();
      for (int axis = 0; axis < read.index().size(); axis++) {
        Symbol symbol = definition.index().get(axis).alone();
        if (symbol != null) {
          by.put(symbol, read.index().get(axis));
        }
      }
      return definition.body().replace(s -> by.getOrDefault(s, Affine.of(s)));
    }
    return scalar.map(part -> substitute(part, definition));
  }
}
