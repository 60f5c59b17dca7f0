package dev.rialto.jit.lower.program;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.Assign;
import dev.rialto.jit.Mode;
import dev.rialto.jit.Node;
import dev.rialto.jit.Op;
import dev.rialto.jit.ScalarExpression;
import dev.rialto.jit.Symbol.Iter;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
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
public final class Inline {
  private static final Set<Op> COSTLY =
      EnumSet.of(Op.EXP, Op.LOG, Op.SIN, Op.COS, Op.TANH, Op.POW, Op.DIV, Op.RECIP, Op.SQRT);

  /** Bodies beyond this only make code long. */
  private static final int MOST_OPERATORS = 64;

  /**
   * The assignments that are left.
   *
   * @param assigns the assignments
   * @param reasons for each node that could have vanished, why it did or did not
   */
  public record Result(List<Assign> assigns, Map<Node, String> reasons) {}

  /** The reads of one assignment by node, its work, and the nodes that its places are. */
  private record Body(
      Map<Node, Set<ScalarExpression.Read>> reads, int operators, Set<Node> places) {
    static Body of(Assign a) {
      Map<Node, Set<ScalarExpression.Read>> reads = new LinkedHashMap<>();
      a.reads().forEach(r -> reads.computeIfAbsent(r.node(), _ -> new LinkedHashSet<>()).add(r));
      Set<Node> places = new HashSet<>();
      a.placeReads().forEach(read -> places.add(read.node()));
      return new Body(reads, a.body().operators(), places);
    }
  }

  /** The assignments by their first place, and who touches a node: nothing is looked for twice. */
  private final NavigableMap<Integer, Assign> assigns = new TreeMap<>();

  private final Map<Integer, Body> bodies = new HashMap<>();
  private final Map<Node, NavigableSet<Integer>> writers = new HashMap<>();
  private final Map<Node, NavigableSet<Integer>> readers = new HashMap<>();

  private Inline(List<Assign> assigns) {
    for (int i = 0; i < assigns.size(); i++) {
      writers.computeIfAbsent(assigns.get(i).target(), _ -> new TreeSet<>()).add(i);
      put(i, assigns.get(i));
    }
  }

  private void put(int at, Assign a) {
    assigns.put(at, a);
    Body body = Body.of(a);
    bodies.put(at, body);
    body.reads().keySet().forEach(n -> readers.computeIfAbsent(n, _ -> new TreeSet<>()).add(at));
  }

  private void remove(int at) {
    assigns.remove(at);
    requireNonNull(bodies.remove(at)).reads().keySet().forEach(node -> readers(node).remove(at));
  }

  private NavigableSet<Integer> readers(Node node) {
    return readers.getOrDefault(node, Collections.emptyNavigableSet());
  }

  private NavigableSet<Integer> writers(Node node) {
    return writers.getOrDefault(node, Collections.emptyNavigableSet());
  }

  private Set<ScalarExpression.Read> reads(int at, Node node) {
    return requireNonNull(requireNonNull(bodies.get(at)).reads().get(node));
  }

  private Assign at(int place) {
    return requireNonNull(assigns.get(place));
  }

  public static Result apply(List<Assign> assigns, Set<Node> inputs) {
    Inline inline = new Inline(assigns);
    Map<Node, String> reasons = new LinkedHashMap<>();
    for (int at = 0; at < assigns.size(); at++) {
      if (inline.assigns.containsKey(at)) {
        Node node = inline.at(at).target();
        boolean stored = inputs.contains(node) || !node.modes().contains(Mode.VIRTUAL);
        @Nullable Definition definition = stored ? null : inline.definition(node);
        @Nullable String obstacle = inline.obstacle(node, definition);
        if (definition == null || obstacle != null) {
          reasons.put(node, String.valueOf(obstacle));
        } else {
          reasons.put(node, "computing it where it is used costs little");
          inline.vanish(node, definition);
        }
      }
    }
    return new Result(List.copyOf(inline.assigns.values()), reasons);
  }

  private @Nullable Definition definition(Node node) {
    NavigableSet<Integer> places = writers(node);
    return places.size() > 2 ? null : Definition.of(places.stream().map(this::at).toList());
  }

  /** Writes a node's computation where it is read. */
  private void vanish(Node node, Definition definition) {
    requireNonNull(writers.remove(node)).forEach(this::remove);
    for (int user : List.copyOf(readers(node))) {
      Assign before = at(user);
      remove(user);
      put(user, substitute(before, definition));
    }
  }

  /** Why a node must be stored, or null. */
  private @Nullable String obstacle(Node node, @Nullable Definition definition) {
    if (definition == null) {
      return "it is summed up, or assigned in several ways";
    }
    int first = writers(node).first();
    int written = writers(node).last();
    int last = written;
    for (int reader : readers(node)) {
      if (requireNonNull(bodies.get(reader)).places().contains(node)) {
        return "its elements are indices, or ends of loops";
      }
      for (ScalarExpression.Read read : reads(reader, node)) {
        if (read.merged() || reader < written) {
          return "it is read before it is assigned, or from a merge buffer";
        }
        if (!definition.isSafeAt(read.index())) {
          return "where it is padded, what it is computed from would be read outside";
        }
      }
      last = Math.max(last, reader);
    }
    Set<Node> needs = new HashSet<>();
    definition.value().reads().forEach(read -> needs.add(read.node()));
    for (Node need : needs) {
      Integer change = writers(need).ceiling(first);
      if (change != null && change < last) {
        return "what it is computed from changes before its last use";
      }
    }
    // The last user may overwrite what it reads only where it reads it, and once.
    Assign user = at(last);
    if (last != written
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
    for (int user : readers(node)) {
      if (requireNonNull(bodies.get(user)).operators() + size > MOST_OPERATORS) {
        return "the code of its uses would become too long";
      }
      List<Iter> loops = at(user).loops();
      // What is read twice in one place is computed once there.
      for (ScalarExpression.Read read : reads(user, node)) {
        boolean once =
            loops.stream().allMatch(loop -> read.index().stream().anyMatch(i -> i.dependsOn(loop)));
        visits += once ? 1 : 4;
      }
    }
    boolean again =
        definition.isEverywhere()
            && definition.value().all(Inline::isCheap)
            && (size == 0 || (size <= 2 && visits <= 8));
    return visits <= 1 || again ? null : "its elements are used more than once and cost more";
  }

  /** Whether computing a value again, apart from its parts, takes no longer than loading it. */
  public static boolean isCheap(ScalarExpression scalar) {
    return !(scalar instanceof ScalarExpression.Apply apply && COSTLY.contains(apply.op()))
        && !(scalar instanceof ScalarExpression.Random);
  }

  private static Assign substitute(Assign user, Definition definition) {
    ScalarExpression body =
        user.body()
            .fold(
                (scalar, parts) ->
                    scalar instanceof ScalarExpression.Read read && read.node() == definition.node()
                        ? definition.at(read.index())
                        : scalar.with(variable(scalar, parts)));
    return new Assign(user.target(), user.index(), user.accum(), user.fresh(), user.loops(), body);
  }

  /** Powers with a constant are other powers; one that was read is not written as a constant. */
  private static List<ScalarExpression> variable(
      ScalarExpression scalar, List<ScalarExpression> parts) {
    if (scalar instanceof ScalarExpression.Apply apply
        && apply.op() == Op.POW
        && apply.operands().get(1) instanceof ScalarExpression.Read
        && parts.get(1) instanceof ScalarExpression.Const exponent) {
      return List.of(parts.get(0), new ScalarExpression.Cast(exponent.type(), exponent));
    }
    return parts;
  }
}
