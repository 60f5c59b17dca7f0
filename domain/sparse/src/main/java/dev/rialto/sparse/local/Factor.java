package dev.rialto.sparse.local;

/**
 * What a vector is multiplied by: a number, or a variable whose number is where the vector is. On a
 * device, asking a variable for its number waits for it.
 */
public interface Factor {
  /** Returns the real part. */
  double re();

  /** Returns the imaginary part. */
  double im();
}
