package dev.rialto.spi.vector;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import org.jspecify.annotations.Nullable;

/**
 * Combines elements into the lanes of two vectors, by an operator that vectors have. Where the
 * order shows in the bits there are {@value #CHAINS} lanes, whatever the processor's vectors.
 */
public interface LaneFold {
  /** Lanes of floating-point elements that are combined in any order. */
  int CHAINS = 8;

  /** The most bytes of lanes. */
  int BYTES = 128;

  /** Returns how many lanes there are. */
  int lanes();

  /** Returns the type of lanes. */
  DType type();

  /**
   * Combines the first {@code n} of some elements, or of pairs of them: lane {@code i} gets those
   * whose number is {@code i} modulo the lanes.
   *
   * @param in the address of elements
   * @param other that of other elements, which are combined with the first ones to begin with
   * @param to the address of the lanes
   * @return {@code n}, the largest multiple of the lanes that there is; if it is 0, nothing is done
   */
  int fold(long in, long other, int count, long to);

  /**
   * Returns the loop for an operator and, if pairs are combined first, another.
   *
   * @return null if vectors do not have it, or the Vector API is missing
   */
  static @Nullable LaneFold of(ReduceOp.Builtin op, ReduceOp.@Nullable Builtin pair, DType type) {
    return VectorApi.isPresent() ? FoldKind.fold(op, pair, type) : null;
  }
}
