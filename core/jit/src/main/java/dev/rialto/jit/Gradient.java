package dev.rialto.jit;

import static dev.rialto.jit.ScalarExpression.apply;

import dev.rialto.jit.ScalarExpression.Cast;
import dev.rialto.jit.ScalarExpression.Const;
import dev.rialto.jit.ScalarExpression.Position;
import dev.rialto.jit.ScalarExpression.Read;
import dev.rialto.jit.ScalarExpression.Within;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Reverse-mode derivatives, as a program.
 *
 * <p>The assignments are walked backwards. One that sets or sums {@code t[x] += f(a[y], …)} over a
 * space gives, over the same space, {@code a.grad[y] += t.grad[x] · ∂f/∂a}: index maps swap sides,
 * so a broadcast becomes a sum and a sum a broadcast without further rules. Of a largest or
 * smallest value, each element that equals it gets the whole derivative; a factor of a product gets
 * the product of the others, which takes as many steps for each factor as there are factors. Casts
 * to integers are steps, whose derivative is 0.
 *
 * <p>Where an index is read, a gather becomes a scatter and a scatter a gather: what is outside is
 * 0 in the one and left out of the other. Integers have no derivative.
 *
 * <p>The derivatives' program reads what the forward program left. An assignment whose derivative
 * needs a value that is overwritten later is refused.
 *
 * @param program computes all derivatives; runs after the forward program, or as one with it
 * @param of the derivative of each node that the result depends on
 */
public record Gradient(Program program, Map<Node, Node> of) {
  /**
   * Differentiates a result.
   *
   * @param forward the program that computes it
   * @param result a node with one element
   * @param wanted the nodes whose derivatives are kept for others to see; of a node that the
   *     program changes, the derivative by what it held before
   * @throws IllegalArgumentException if an assignment cannot be differentiated; the message shows
   *     it
   */
  public static Gradient of(Program forward, Node result, Set<Node> wanted) {
    if (result.shape().count() != 1) {
      throw new IllegalArgumentException(
          "only a single number has a gradient, but " + result + " has shape " + result.shape());
    }
    requireReal(result);
    wanted.forEach(Gradient::requireReal);
    return new Builder(forward, wanted).build(result);
  }

  private static void requireReal(Node node) {
    if (node.type().kind() == DType.Kind.INTEGER) {
      throw new IllegalArgumentException(
          "gradients are of floating-point numbers by such, but %s is of %s; cast to f32 or f64"
              .formatted(node, node.type()));
    }
  }

  private static final class Builder {
    private final Program forward;
    private final Set<Node> wanted;
    private final Set<Node> inputs;
    private final Map<Node, Node> grads = new LinkedHashMap<>();
    private final Set<Node> started = new HashSet<>();
    private final Map<Node, NavigableSet<Integer>> writes = new HashMap<>();
    private final Map<Node, Integer> firstTouch = new HashMap<>();
    private final List<Assign> assigns = new ArrayList<>();

    Builder(Program forward, Set<Node> wanted) {
      this.forward = forward;
      this.wanted = wanted;
      this.inputs = forward.inputs();
      for (int at = 0; at < forward.assigns().size(); at++) {
        Assign a = forward.assigns().get(at);
        int here = at;
        a.reads().forEach(read -> firstTouch.putIfAbsent(read.node(), here));
        firstTouch.putIfAbsent(a.target(), at);
        writes.computeIfAbsent(a.target(), _ -> new TreeSet<>()).add(at);
      }
    }

    Gradient build(Node result) {
      Node seed = grad(result);
      List<Affine> index = new ArrayList<>();
      for (int axis = 0; axis < result.shape().rank(); axis++) {
        index.add(Affine.of(0));
      }
      assigns.add(Assign.of(seed, index, Accum.SET, true, new Const(result.type(), 1)));
      started.add(result);
      for (int at = forward.assigns().size() - 1; at >= 0; at--) {
        if (started.contains(forward.assigns().get(at).target())) {
          back(at);
        }
      }
      return new Gradient(new Program(forward.name() + "_grad", assigns), grads);
    }

    private Node grad(Node node) {
      return grads.computeIfAbsent(
          node,
          n -> {
            Node grad = new Node(n.name() + ".grad", n.type(), n.shape());
            if (wanted.contains(n)) {
              grad.restrict(Mode.onHost(), "the gradient of " + n + " is wanted");
            }
            return grad;
          });
    }

    private IllegalArgumentException refused(Assign a, String why) {
      int at = forward.assigns().indexOf(a);
      String line =
          at < 0 || forward.lines().isEmpty() ? "" : "line " + forward.lines().get(at) + ": ";
      return new IllegalArgumentException(line + a + " cannot be differentiated: " + why);
    }

    private void back(int at) {
      Assign written = forward.assigns().get(at);
      if (written.loops().stream().anyMatch(loop -> loop.size() == 0)) {
        return;
      }
      Assign a = lastTurn(written);
      Node target = a.target();
      ScalarExpression outer = outer(a, at);
      @Nullable Assign own = null;
      Set<Read> done = new HashSet<>();
      for (Read read : a.body().reads()) {
        if (!done.add(read) || read.merged() || read.type().kind() == DType.Kind.INTEGER) {
          continue;
        }
        ScalarExpression inner = Derivative.of(a.body(), read);
        if (!matters(read.node()) || Derivative.isZero(inner)) {
          continue;
        }
        if (isPadded(a.body(), read)) {
          throw refused(written, "it pads " + read);
        }
        requireKept(inner, at, written);
        for (Read place : a.placeReads()) {
          requireKept(place, at, written);
        }
        ScalarExpression value = Derivative.isOne(inner) ? outer : apply(Op.MUL, outer, inner);
        ScalarExpression cast = value.type() == read.type() ? value : new Cast(read.type(), value);
        if (read.node() == target) {
          own = ownRead(written, read, cast, own);
        } else {
          boolean fresh = started.add(read.node());
          assigns.add(
              Assign.over(grad(read.node()), read.index(), Accum.SUM, fresh, a.loops(), cast)
                  .setIfSingle());
        }
      }
      if (own != null) {
        assigns.add(own);
      } else if (overwrites(a) && isNeededBefore(target, at)) {
        // What was there before does not reach the result through these elements.
        boolean all = a.fresh() || a.isSurjective();
        List<Affine> index = all ? target.whole() : a.index();
        ScalarExpression zero = new Const(target.type(), 0);
        assigns.add(Assign.of(grad(target), index, Accum.SET, all, zero));
      }
    }

    /** Of values that are set one after the other, the last stays. */
    private Assign lastTurn(Assign a) {
      if (a.accum() != Accum.SET) {
        return a;
      }
      if (!a.isInjective()) {
        throw refused(a, "elements are set from several places");
      }
      List<Iter> reduced = a.reducedLoops();
      if (reduced.stream().anyMatch(loop -> loop.end() != null)) {
        throw refused(a, "the last value that stays is found in data");
      }
      ScalarExpression body =
          a.body()
              .replace(
                  symbol ->
                      symbol instanceof Iter iter && reduced.contains(iter)
                          ? Affine.of(iter.size() - 1)
                          : Affine.of(symbol));
      return new Assign(a.target(), a.index(), a.accum(), a.fresh(), a.targetLoops(), body);
    }

    /** The derivative by the value that an assignment combines with an element. */
    private ScalarExpression outer(Assign a, int at) {
      ScalarExpression outer = new Read(grad(a.target()), a.index(), false).orZero();
      boolean single = a.isInjective() && a.reducedLoops().isEmpty();
      if (a.accum() == Accum.SET || a.accum() == Accum.SUM || (a.fresh() && single)) {
        return outer;
      }
      if (!a.fresh()) {
        throw refused(a, "what " + a.target() + " held before is lost; use a node of its own");
      }
      ScalarExpression total = new Read(a.target(), a.index(), false).orZero();
      requireKept(a.body(), at, a);
      if (a.accum() == Accum.PRODUCT) {
        return apply(Op.MUL, outer, others(a));
      }
      requireKept(total, at, a);
      ScalarExpression isBest = apply(Op.EQ, a.body(), total);
      return apply(Op.WHERE, isBest, outer, new Const(outer.type(), 0));
    }

    /**
     * The product of all factors but one, for each: dividing by it would lose what a zero hides.
     */
    private ScalarExpression others(Assign a) {
      if (!a.isInjective()) {
        throw refused(a, "elements are multiplied from several places");
      }
      if (a.hasEnds()) {
        throw refused(a, "how many factors there are is found in data");
      }
      DType type = a.target().type();
      long[] extents = a.loops().stream().mapToLong(Iter::size).toArray();
      String name = a.target().name() + ".others" + assigns.size();
      Node others = new Node(name, type, Shape.of(extents));
      Map<Symbol, Iter> other = new HashMap<>();
      Affine distance = Affine.of(0);
      for (Iter iter : a.reducedLoops()) {
        Iter twin = new Iter(iter.name() + "_other", iter.size());
        other.put(iter, twin);
        Affine apart = Affine.of(twin).plus(Affine.of(iter).times(-1));
        distance = distance.times(iter.size()).plus(apart);
      }
      ScalarExpression factor =
          a.body().replace(s -> Affine.of(other.containsKey(s) ? other.get(s) : s));
      ScalarExpression unlessSame =
          apply(Op.WHERE, new Position(type, distance), factor, new Const(type, 1));
      List<Affine> index = a.loops().stream().map(Affine::of).toList();
      assigns.add(Assign.of(others, index, Accum.PRODUCT, true, unlessSame));
      return new Read(others, index, false);
    }

    /** The derivative by what the target itself held, which takes the place of that after it. */
    private Assign ownRead(Assign a, Read read, ScalarExpression value, @Nullable Assign before) {
      if (!read.index().equals(a.index()) || before != null) {
        throw refused(a, "it reads other elements of " + a.target() + " than it assigns");
      }
      Accum accum = a.accum() == Accum.SET || a.fresh() ? Accum.SET : Accum.SUM;
      return Assign.of(grad(a.target()), a.index(), accum, false, value);
    }

    private static boolean overwrites(Assign a) {
      return a.fresh() || a.accum() == Accum.SET;
    }

    /** Whether derivatives by what a node held before an assignment are asked for. */
    private boolean isNeededBefore(Node node, int at) {
      return inputs.contains(node) || firstTouch.getOrDefault(node, at) < at;
    }

    /** Checks that the values which a derivative reads are still there when all is done. */
    private void requireKept(ScalarExpression value, int at, Assign a) {
      for (Read read : value.reads()) {
        boolean isTarget = read.node() == a.target() && !a.body().reads().contains(read);
        NavigableSet<Integer> all = writes.get(read.node());
        Integer later = all == null ? null : all.ceiling(isTarget ? at + 1 : at);
        if (later != null && !read.merged()) {
          throw refused(
              a,
              "its derivative needs "
                  + read
                  + ", which "
                  + forward.assigns().get(later)
                  + " overwrites");
        }
      }
    }

    private boolean matters(Node node) {
      return wanted.contains(node) || writes.containsKey(node);
    }

    private static boolean isPadded(ScalarExpression scalar, Read read) {
      return !scalar.all(
          part ->
              !(part instanceof Within within
                  && within.reads().contains(read)
                  && !guards(within, read)));
    }

    /** Whether a guard asks what leaves points out of the derivative's assignment as well. */
    private static boolean guards(Within within, Read read) {
      ScalarExpression inside = within;
      while (inside instanceof Within w) {
        int axis = read.index().indexOf(w.index());
        if (!w.index().isData()
            || axis < 0
            || w.size() < read.node().shape().extent(axis)
            || !Derivative.isZero(w.outside())) {
          return false;
        }
        inside = w.inside();
      }
      return inside.equals(read);
    }
  }
}
