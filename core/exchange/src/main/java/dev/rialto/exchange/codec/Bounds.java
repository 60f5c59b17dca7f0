package dev.rialto.exchange.codec;

/** Error bounds as they are written in schemes. */
final class Bounds {
  private Bounds() {}

  static double parse(String text) {
    double bound;
    try {
      bound = Double.parseDouble(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("bound '" + text + "' is not a number such as 1e-6", e);
    }
    if (!(bound > 0 && bound < Double.POSITIVE_INFINITY)) {
      throw new IllegalArgumentException("bound " + text + " is not positive and finite");
    }
    return bound;
  }
}
