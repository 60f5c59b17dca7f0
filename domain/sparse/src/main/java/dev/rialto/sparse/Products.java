package dev.rialto.sparse;

import dev.rialto.sparse.local.PartialSums;

/**
 * Some products of vectors: this rank's parts, which loops add, and after {@link Scalars#sum} those
 * of all ranks, as variables.
 */
public interface Products extends PartialSums {
  /** Returns a product of all ranks; it changes at the next sum. */
  Variable get(int product);
}
