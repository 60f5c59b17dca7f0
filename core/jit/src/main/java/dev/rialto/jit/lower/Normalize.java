package dev.rialto.jit.lower;

import dev.rialto.jit.Accum;
import dev.rialto.jit.Affine;
import dev.rialto.jit.Assign;
import dev.rialto.jit.Node;
import dev.rialto.jit.Scalar;
import dev.rialto.jit.Symbol.Iter;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes explicit where elements get their first value. An assignment that gives each element one
 * value just sets it; one that does not reach every element, or may reach one from several places,
 * is preceded by filling the node.
 */
final class Normalize {
  private Normalize() {}

  static List<Assign> apply(List<Assign> assigns) {
    List<Assign> result = new ArrayList<>();
    for (Assign a : assigns) {
      if (!a.fresh()) {
        result.add(a);
      } else if (a.isInjective() && a.isSurjective()) {
        Accum accum = a.reducedLoops().isEmpty() ? Accum.SET : a.accum();
        result.add(new Assign(a.target(), a.index(), accum, true, a.loops(), a.body()));
      } else {
        result.add(fill(a.target(), a.accum().neutral(a.target().type())));
        result.add(new Assign(a.target(), a.index(), a.accum(), false, a.loops(), a.body()));
      }
    }
    return result;
  }

  private static Assign fill(Node node, double value) {
    List<Affine> index = new ArrayList<>();
    for (int axis = 0; axis < node.shape().rank(); axis++) {
      index.add(Affine.of(new Iter("i" + axis, node.shape().extent(axis))));
    }
    return Assign.of(node, index, Accum.SET, true, new Scalar.Const(node.type(), value));
  }
}
