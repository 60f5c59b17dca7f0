package dev.rialto.jit.lift;

/**
 * The vectors that a compiler takes.
 *
 * @param bits the size of the widest; 0 if there are none
 * @param operations what can be done with them besides loads and stores
 */
public record VectorSupport(int bits, Operations operations) {
  /** No vectors. */
  public static final VectorSupport NONE = new VectorSupport(0, Operations.ARITHMETIC);

  /** The operations on vectors. */
  public enum Operations {
    /** Sums, differences, products and quotients. */
    ARITHMETIC,
    /** Those, negatives, magnitudes and square roots. */
    ROOTS,
    /** Those, comparisons, choices, conversions and bits. */
    ALL
  }
}
