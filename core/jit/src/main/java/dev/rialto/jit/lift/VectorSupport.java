package dev.rialto.jit.lift;

/**
 * The vectors that a compiler takes.
 *
 * @param bits the size of the widest; 0 if there are none
 * @param arithmeticOnly whether it takes loads, stores and arithmetic alone
 * @param fuses whether it multiplies and adds them with one rounding when told to
 */
public record VectorSupport(int bits, boolean arithmeticOnly, boolean fuses) {
  /** No vectors. */
  public static final VectorSupport NONE = new VectorSupport(0, true, false);
}
