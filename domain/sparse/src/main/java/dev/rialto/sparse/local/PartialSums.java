package dev.rialto.sparse.local;

/** This rank's parts of some sums, in the host's memory or in a device's. */
public interface PartialSums {
  /** No sums: loops that could sum up something leave it out. */
  PartialSums NONE = (sum, re, im) -> {};

  /** Returns sums whose real and imaginary parts are, in turn, the elements of an array. */
  static PartialSums into(double[] parts) {
    return (sum, re, im) -> {
      parts[2 * sum] += re;
      parts[2 * sum + 1] += im;
    };
  }

  /** Adds to one of them. */
  void add(int sum, double re, double im);
}
