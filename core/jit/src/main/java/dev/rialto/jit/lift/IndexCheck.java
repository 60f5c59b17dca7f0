package dev.rialto.jit.lift;

import dev.rialto.spi.code.Expr;

/**
 * The bounds that an access sets for an index.
 *
 * @param index the index, an I64
 * @param low the least there is
 * @param end one past the greatest
 * @param array what messages call the array, or the axis of it
 */
record IndexCheck(Expr index, Expr low, Expr end, String array) {
  /** An index of an array that counts from 0. */
  static IndexCheck of(Expr index, Expr length, String array) {
    return new IndexCheck(index, Expr.of(0), length, array);
  }
}
