package dev.rialto.sparse;

import dev.rialto.array.Array;
import dev.rialto.array.Team;
import dev.rialto.sparse.local.Scalar;

/**
 * The rules that the arrays and factors of a product keep, the same for all operators: loops take
 * addresses and see neither how long a vector is nor where.
 */
final class ProductRules {
  private ProductRules() {}

  /** A product of arrays without gaps, of one place and width. */
  @FunctionalInterface
  interface Product {
    void run(Array x, Array y, int width);
  }

  /** Checks the operands and runs a product, on copies of arrays that have a halo of their own. */
  static void run(LinearOperator of, Scalar a, Array x, Scalar b, Array y, Product product) {
    Element.checkKind(of.type(), a);
    Element.checkKind(of.type(), b);
    int width = of.map().arrays().width(x, of.type());
    int others = of.map().arrays().width(y, of.type());
    if (width != others) {
      throw new IllegalArgumentException(
          "x is %d vectors and y %d; give as many of each".formatted(width, others));
    }
    if (x.overlaps(y)) {
      throw new IllegalArgumentException(
          "%s and %s are the same memory; give an array of its own for y".formatted(x, y));
    }
    if (!samePlace(x, y)) {
      throw new IllegalArgumentException(
          "%s on %s and %s on %s; copy one to where the other is"
              .formatted(x, place(x), y, place(y)));
    }
    try (Team.Step _ = y.team().step("a product")) {
      DenseArray in = DenseArray.of(x);
      DenseArray out = DenseArray.of(y);
      product.run(in.array(), out.array(), width);
      out.bringBack();
      out.end();
      in.end();
    }
  }

  private static String place(Array x) {
    return x.space().client().device().name();
  }

  private static boolean samePlace(Array x, Array y) {
    return x.isOnDevice() ? place(x).equals(place(y)) : !y.isOnDevice();
  }

  /** Refuses a number of vectors that an operator has no loops for. */
  static void requireOne(int width) {
    if (width != 1) {
      throw new IllegalArgumentException(
          "x is %d vectors; give this operator one at a time".formatted(width));
    }
  }
}
