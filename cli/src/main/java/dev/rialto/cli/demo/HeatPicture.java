package dev.rialto.cli.demo;

/** Draws the middle plane before and after, side by side, in colours from dark blue to yellow. */
public final class HeatPicture {
  private static final int GAP = 8;
  private static final int SMALLEST = 256;

  /** Colours at equal distances, between which the others are mixed. */
  private static final int[][] COLORS = {
    {13, 8, 80},
    {84, 2, 163},
    {156, 23, 158},
    {204, 71, 120},
    {237, 121, 83},
    {253, 180, 47},
    {240, 249, 33}
  };

  private HeatPicture() {}

  /**
   * Draws two planes of the same size with the same scale.
   *
   * @return the picture as a PNG file
   */
  public static byte[] draw(Plane before, Plane after) {
    int edge = before.edge();
    int zoom = Math.max(1, (SMALLEST + edge - 1) / edge);
    int height = edge * zoom;
    int width = 2 * height + GAP;
    double low = Double.POSITIVE_INFINITY;
    double high = Double.NEGATIVE_INFINITY;
    for (int y = 0; y < edge; y++) {
      for (int x = 0; x < edge; x++) {
        low = Math.min(low, before.at(y, x));
        high = Math.max(high, before.at(y, x));
      }
    }
    byte[] rgb = new byte[3 * width * height];
    for (int y = 0; y < height; y++) {
      for (int x = 0; x < width; x++) {
        int at = 3 * (y * width + x);
        if (x >= height && x < height + GAP) {
          rgb[at] = rgb[at + 1] = rgb[at + 2] = (byte) 255;
          continue;
        }
        Plane plane = x < height ? before : after;
        int column = (x < height ? x : x - height - GAP) / zoom;
        double value = plane.at(edge - 1 - y / zoom, column);
        color(high > low ? (value - low) / (high - low) : 0, rgb, at);
      }
    }
    return Png.encode(width, height, rgb);
  }

  private static void color(double value, byte[] rgb, int at) {
    double scaled = Math.clamp(value, 0, 1) * (COLORS.length - 1);
    int below = Math.min((int) scaled, COLORS.length - 2);
    double part = scaled - below;
    for (int i = 0; i < 3; i++) {
      rgb[at + i] = (byte) Math.round(COLORS[below][i] * (1 - part) + COLORS[below + 1][i] * part);
    }
  }
}
