package dev.rialto.jit;

import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Reverse-mode derivatives, as a program.
 *
 * <p>The assignments are walked backwards. One that sets or sums {@code t[x] += f(a[y], …)} over a
 * space gives, over the same space, {@code a.grad[y] += t.grad[x] · ∂f/∂a}: index maps swap sides,
 * so a broadcast becomes a sum and a sum a broadcast without further rules. Of a largest or
 * smallest value, each element that equals it gets the whole derivative.
 *
 * @param program computes all derivatives; runs after the forward program, or as one with it
 * @param of the derivative of each node that the result depends on
 */
public record Gradient(Program program, Map<Node, Node> of) {
  /**
   * Differentiates a result.
   *
   * @param forward the program that computes it; no node may be assigned on from what it held
   * @param result a node with one element
   * @param wanted the nodes whose derivatives are kept for others to see
   */
  public static Gradient of(Program forward, Node result, Set<Node> wanted) {
    if (result.shape().count() != 1) {
      throw new IllegalArgumentException(
          "only a single number has a gradient, but " + result + " has shape " + result.shape());
    }
    return new Builder(forward, wanted).build(result);
  }

  private static final class Builder {
    private final Program forward;
    private final Set<Node> wanted;
    private final Map<Node, Node> grads = new LinkedHashMap<>();
    private final Set<Node> started = new HashSet<>();
    private final List<Assign> assigns = new ArrayList<>();

    Builder(Program forward, Set<Node> wanted) {
      this.forward = forward;
      this.wanted = wanted;
    }

    Gradient build(Node result) {
      Node seed = grad(result);
      List<Affine> index = new ArrayList<>();
      for (int axis = 0; axis < result.shape().rank(); axis++) {
        index.add(Affine.of(0));
      }
      assigns.add(Assign.of(seed, index, Accum.SET, true, new Scalar.Const(result.type(), 1)));
      started.add(result);
      Set<Node> assignedLater = new HashSet<>();
      for (Assign a : forward.assigns().reversed()) {
        if (started.contains(a.target())) {
          if (!assignedLater.add(a.target()) && a.accum() == Accum.SET) {
            throw new IllegalArgumentException(
                a.target() + " is set more than once, so " + a + " cannot be differentiated");
          }
          back(a);
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

    private void back(Assign a) {
      Scalar outer = new Scalar.Read(grad(a.target()), a.index(), false);
      if (a.accum() == Accum.PRODUCT) {
        Scalar total = new Scalar.Read(a.target(), a.index(), false);
        outer = Scalar.apply(Op.MUL, outer, Scalar.apply(Op.DIV, total, a.body()));
      } else if (a.accum() == Accum.MAX || a.accum() == Accum.MIN) {
        Scalar best = new Scalar.Read(a.target(), a.index(), false);
        Scalar isBest = Scalar.apply(Op.EQ, a.body(), best);
        outer = Scalar.apply(Op.WHERE, isBest, outer, zero(outer.type()));
      }
      Set<Scalar.Read> done = new HashSet<>();
      for (Scalar.Read read : a.body().reads()) {
        if (!done.add(read) || read.type().kind() == DType.Kind.INTEGER || !matters(read.node())) {
          continue;
        }
        if (isPadded(a.body(), read)) {
          throw new IllegalArgumentException(
              "padded accesses cannot be differentiated: " + read + " in " + a);
        }
        Scalar inner = Derivative.of(a.body(), read);
        if (Derivative.isZero(inner)) {
          continue;
        }
        Scalar value = Derivative.isOne(inner) ? outer : Scalar.apply(Op.MUL, outer, inner);
        assigns.add(
            Assign.of(grad(read.node()), read.index(), Accum.SUM, started.add(read.node()), value));
      }
    }

    private boolean matters(Node node) {
      return wanted.contains(node) || forward.assigns().stream().anyMatch(a -> a.target() == node);
    }

    private static Scalar zero(DType type) {
      return new Scalar.Const(type, 0);
    }

    private static boolean isPadded(Scalar scalar, Scalar.Read read) {
      return (scalar instanceof Scalar.Within within && within.inside().reads().contains(read))
          || scalar.parts().stream().anyMatch(part -> isPadded(part, read));
    }
  }
}
