package dev.rialto.sparse;

import dev.rialto.sparse.local.Scalar;
import org.jspecify.annotations.Nullable;

/**
 * The rules that the vectors and factors of a product keep, the same for all operators: kernels
 * take addresses and see neither how long a vector is nor where.
 */
final class ProductRules {
  private ProductRules() {}

  /**
   * Refuses operands that a product would read or write beyond, or take for others.
   *
   * @param of the operator
   * @param home the device that it is on; null if that is the host
   */
  static void require(
      LinearOperator of,
      @Nullable SparseDevice home,
      Scalar a,
      MultiVector x,
      Scalar b,
      MultiVector y) {
    requireVector(of, home, x, "x");
    requireVector(of, home, y, "y");
    if (x == y) {
      throw new IllegalArgumentException("x and y are the same vector; give two");
    }
    if (x.width() != y.width()) {
      throw new IllegalArgumentException(
          "x has width %d and y %d; give vectors of one width".formatted(x.width(), y.width()));
    }
    Element.checkKind(of.type(), a);
    Element.checkKind(of.type(), b);
  }

  /** Refuses a vector without the halo that a product uses. */
  static void requireHalo(LinearOperator of, MultiVector vector) {
    if (vector.map() != of.map()) {
      throw new IllegalArgumentException(
          "a vector on %s, without the halo that the product needs; make it on this operator's own map, %s"
              .formatted(vector.map(), of.map()));
    }
  }

  private static void requireVector(
      LinearOperator of, @Nullable SparseDevice home, MultiVector vector, String name) {
    if (vector.type() != of.type() || !of.map().sameOwners(vector.map()) || vector.home() != home) {
      throw new IllegalArgumentException(
          "%s is a vector of %s on %s, on %s; make it with this operator's vector(), of %s on %s, on %s"
              .formatted(
                  name,
                  vector.type(),
                  vector.map(),
                  place(vector.home()),
                  of.type(),
                  of.map(),
                  place(home)));
    }
  }

  private static String place(@Nullable SparseDevice home) {
    return home == null ? "the host" : home.device().name();
  }

  /** Refuses a number of vectors that an operator has no loops for. */
  static void requireOne(MultiVector x) {
    if (x.width() != 1) {
      throw new IllegalArgumentException(
          "x has width %d; give this operator vectors of width 1".formatted(x.width()));
    }
  }
}
