package dev.rialto.io;

/** Scales of colours for values. */
public enum Colors {
  /** From dark blue to yellow: amounts. Brightness grows with the value, so it prints in grey. */
  HEAT(0x0d0850, 0x5402a3, 0x9c179e, 0xcc4778, 0xed7953, 0xfdb42f, 0xf0f921),

  /** From blue by white to red: values of both signs, 0 in the middle. */
  SIGNED(0x123a7a, 0x2f79b5, 0x8fc3de, 0xf7f7f5, 0xf3a683, 0xc73e42, 0x7a0c26);

  /** Colours at equal distances, between which the others are mixed. */
  @SuppressWarnings("ImmutableEnumChecker") // written once
  private final int[] stops;

  Colors(int... stops) {
    this.stops = stops;
  }

  /**
   * Returns the colour at a place from 0 to 1, that of the nearer end beyond; grey for a value that
   * is not a number.
   */
  public int of(double place) {
    if (Double.isNaN(place)) {
      return 0x808080;
    }
    double scaled = Math.clamp(place, 0.0, 1.0) * (stops.length - 1);
    int below = Math.min((int) scaled, stops.length - 2);
    double part = scaled - below;
    int color = 0;
    for (int shift = 16; shift >= 0; shift -= 8) {
      int a = stops[below] >> shift & 255;
      int b = stops[below + 1] >> shift & 255;
      color |= (int) Math.round(a * (1 - part) + b * part) << shift;
    }
    return color;
  }
}
