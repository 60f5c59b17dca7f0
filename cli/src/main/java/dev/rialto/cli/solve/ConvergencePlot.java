package dev.rialto.cli.solve;

import dev.rialto.cli.demo.Png;
import java.util.Arrays;

/** Draws residuals by iteration, with a line for each power of ten and one for the tolerance. */
public final class ConvergencePlot {
  private static final int WIDTH = 720;
  private static final int HEIGHT = 420;
  private static final int MARGIN = 24;
  private static final int GRID = 0xdddddd;
  private static final int AXIS = 0x444444;
  private static final int CURVE = 0x1f4e9e;
  private static final int TOLERANCE = 0xc0392b;

  private final byte[] rgb = new byte[3 * WIDTH * HEIGHT];

  private ConvergencePlot() {
    Arrays.fill(rgb, (byte) 255);
  }

  /**
   * Draws a history.
   *
   * @return the picture as a PNG file
   */
  public static byte[] draw(double[] history, double tolerance) {
    return new ConvergencePlot().paint(history, tolerance);
  }

  private byte[] paint(double[] history, double tolerance) {
    double top = 0;
    double bottom = tolerance > 0 ? Math.log10(tolerance) - 0.5 : 0;
    for (double residual : history) {
      if (residual > 0 && Double.isFinite(residual)) {
        top = Math.max(top, Math.log10(residual));
        bottom = Math.min(bottom, Math.log10(residual));
      }
    }
    top = Math.ceil(top + 0.01);
    bottom = Math.floor(bottom);
    for (double decade = bottom; decade <= top; decade++) {
      int y = row(decade, bottom, top);
      line(MARGIN, y, WIDTH - MARGIN, y, GRID);
    }
    line(MARGIN, MARGIN, MARGIN, HEIGHT - MARGIN, AXIS);
    line(MARGIN, HEIGHT - MARGIN, WIDTH - MARGIN, HEIGHT - MARGIN, AXIS);
    if (tolerance > 0) {
      int y = row(Math.log10(tolerance), bottom, top);
      line(MARGIN, y, WIDTH - MARGIN, y, TOLERANCE);
    }
    int beforeX = -1;
    int beforeY = -1;
    for (int i = 0; i < history.length; i++) {
      double value = history[i] > 0 ? Math.log10(history[i]) : bottom;
      if (!Double.isFinite(value)) {
        continue;
      }
      int x =
          MARGIN + (int) Math.round((WIDTH - 2.0 * MARGIN) * i / Math.max(1, history.length - 1));
      int y = row(value, bottom, top);
      if (beforeX >= 0) {
        line(beforeX, beforeY, x, y, CURVE);
        line(beforeX, beforeY + 1, x, y + 1, CURVE);
      }
      beforeX = x;
      beforeY = y;
    }
    return Png.encode(WIDTH, HEIGHT, rgb);
  }

  private static int row(double decade, double bottom, double top) {
    double part = (top - decade) / Math.max(1e-9, top - bottom);
    return MARGIN + (int) Math.round((HEIGHT - 2.0 * MARGIN) * part);
  }

  private void line(int x0, int y0, int x1, int y1, int color) {
    int steps = Math.max(1, Math.max(Math.abs(x1 - x0), Math.abs(y1 - y0)));
    for (int i = 0; i <= steps; i++) {
      int x = x0 + (x1 - x0) * i / steps;
      int y = y0 + (y1 - y0) * i / steps;
      if (x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT) {
        int at = 3 * (y * WIDTH + x);
        rgb[at] = (byte) (color >> 16);
        rgb[at + 1] = (byte) (color >> 8);
        rgb[at + 2] = (byte) color;
      }
    }
  }
}
