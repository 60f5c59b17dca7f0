package dev.rialto.array.loop;

import dev.rialto.array.part.Elements;
import dev.rialto.spi.vector.LaneFold;
import org.jspecify.annotations.Nullable;

/** The loop that combines elements into one. */
public interface Fold {
  /** The bytes needed at the address where a result goes: room for the lanes of two vectors. */
  int BYTES = LaneFold.BYTES;

  /** Chains of floating-point elements that are combined in any order. */
  int CHAINS = LaneFold.CHAINS;

  /**
   * Combines terms, at least one: {@code in[i]}, or {@code f(in[i])} if there is a function, or
   * {@code f(in[i], b[i])} if there are other elements too.
   *
   * <p>In the order of elements, or, if that does not matter, of {@link #CHAINS} chains that take
   * turns: the bits of a sum are then the same with vectors of any length and without.
   *
   * @param to where the words of the result go
   */
  void fold(
      Object op,
      boolean anyOrder,
      @Nullable Object f,
      Elements from,
      long in,
      @Nullable Elements other,
      long b,
      long count,
      long to);

  /** Returns vectors where an operator, function and type are known to them, else the loops. */
  static Fold of(
      Loops loops, Object op, @Nullable Object f, Elements from, @Nullable Elements other) {
    Fold vectors = VectorFold.of(op, f, from, other);
    return vectors == null ? loops : vectors;
  }
}
