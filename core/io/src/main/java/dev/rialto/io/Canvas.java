package dev.rialto.io;

import java.util.Arrays;

/**
 * A picture to draw on: areas, lines, maps of values and text. Colours are {@code 0xRRGGBB}; what
 * lies outside is cut off. Written with {@link #png}.
 */
public final class Canvas {
  private final int width;
  private final int height;
  private final byte[] rgb;

  /** Makes a white picture. */
  public Canvas(int width, int height) {
    this.width = width;
    this.height = height;
    this.rgb = new byte[Math.multiplyExact(3, Math.multiplyExact(width, height))];
    Arrays.fill(rgb, (byte) 255);
  }

  /** Returns the pixels in a row. */
  public int width() {
    return width;
  }

  /** Returns the rows. */
  public int height() {
    return height;
  }

  /** Returns the picture as a PNG file. */
  public byte[] png() {
    return Png.encode(width, height, rgb);
  }

  /** Returns the colour of a pixel. */
  public int get(int x, int y) {
    int at = 3 * (y * width + x);
    return (rgb[at] & 255) << 16 | (rgb[at + 1] & 255) << 8 | (rgb[at + 2] & 255);
  }

  /** Colours one pixel. */
  public void set(int x, int y, int color) {
    blend(x, y, color, 1);
  }

  /** Mixes a colour into a pixel: 0 leaves it as it is, 1 replaces it. */
  private void blend(int x, int y, int color, double share) {
    if (x < 0 || y < 0 || x >= width || y >= height) {
      return;
    }
    int at = 3 * (y * width + x);
    for (int part = 0; part < 3; part++) {
      int there = rgb[at + part] & 255;
      int wanted = color >> (16 - 8 * part) & 255;
      rgb[at + part] = (byte) Math.round(there + share * (wanted - there));
    }
  }

  /** Fills a rectangle. */
  public void fill(int x, int y, int columns, int rows, int color) {
    for (int row = Math.max(y, 0); row < Math.min(y + rows, height); row++) {
      for (int column = Math.max(x, 0); column < Math.min(x + columns, width); column++) {
        set(column, row, color);
      }
    }
  }

  /** Draws a line of some thickness, smoothed at its edges. */
  public void line(double x0, double y0, double x1, double y1, double thickness, int color) {
    double dx = x1 - x0;
    double dy = y1 - y0;
    double square = dx * dx + dy * dy;
    double reach = thickness / 2 + 1;
    for (int y = (int) (Math.min(y0, y1) - reach); y <= Math.max(y0, y1) + reach; y++) {
      for (int x = (int) (Math.min(x0, x1) - reach); x <= Math.max(x0, x1) + reach; x++) {
        double along = square == 0 ? 0 : ((x - x0) * dx + (y - y0) * dy) / square;
        double nearest = Math.clamp(along, 0.0, 1.0);
        double distance = Math.hypot(x - x0 - nearest * dx, y - y0 - nearest * dy);
        double share = Math.clamp(thickness / 2 + 0.5 - distance, 0.0, 1.0);
        if (share > 0) {
          blend(x, y, color, share);
        }
      }
    }
  }

  /**
   * Writes text, its upper left corner at a place; characters that are not ASCII become '?'.
   *
   * @param scale pixels for each dot: letters are 5 dots wide and 7 high, and 6 apart
   */
  public void text(int x, int y, String text, int scale, int color) {
    int left = x;
    for (int character : text.codePoints().toArray()) {
      boolean[][] dots = Glyphs.of(character);
      for (int row = 0; row < Glyphs.HEIGHT; row++) {
        for (int column = 0; column < Glyphs.WIDTH; column++) {
          if (dots[row][column]) {
            fill(left + scale * column, y + scale * row, scale, scale, color);
          }
        }
      }
      left += scale * (Glyphs.WIDTH + 1);
    }
  }

  /** Returns the pixels that text takes in a row. */
  public static int textWidth(String text, int scale) {
    return Math.max(0, text.codePointCount(0, text.length()) * (Glyphs.WIDTH + 1) - 1) * scale;
  }

  /**
   * Draws values as colours into a rectangle, the first row at the top.
   *
   * @param values {@code rows * columns} numbers, row by row
   * @param low what the first colour means
   * @param high what the last colour means
   */
  public void map(
      int x,
      int y,
      int pixels,
      int lines,
      double[] values,
      int columns,
      double low,
      double high,
      Colors colors) {
    int rows = values.length / columns;
    for (int line = 0; line < lines; line++) {
      for (int pixel = 0; pixel < pixels; pixel++) {
        int row = (int) ((long) line * rows / lines);
        int column = (int) ((long) pixel * columns / pixels);
        double value = values[row * columns + column];
        double share = high > low ? (value - low) / (high - low) : 0.5;
        set(x + pixel, y + line, colors.of(share));
      }
    }
  }
}
