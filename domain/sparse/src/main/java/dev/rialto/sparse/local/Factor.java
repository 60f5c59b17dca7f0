package dev.rialto.sparse.local;

/**
 * A factor of a vector: a number, or a variable whose number is where the vector is. On a device,
 * asking a variable for its number waits for it.
 */
public interface Factor {
  /** Returns the real part. */
  double re();

  /** Returns the imaginary part. */
  double im();
}
