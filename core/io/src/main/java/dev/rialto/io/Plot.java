package dev.rialto.io;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Curves over a common axis, with labelled axes.
 *
 * {@snippet :
 * Plot plot = new Plot("convergence", "iteration", "residual").logarithmic();
 * plot.curve("cg", result.history()).level("tolerance", 1e-8);
 * Files.write(path, plot.png(720, 420));
 * }
 *
 * <p>On a logarithmic axis values that are not positive are left out, as are those that are not
 * finite on any.
 */
public final class Plot {
  private static final int[] COLORS = {0x1f4e9e, 0xb3541e, 0x2e7d4f, 0x7b3f98, 0x8a6d00};
  private static final int INK = 0x333333;
  private static final int FRAME = 0x888888;
  private static final int GRID = 0xe2e2e2;
  private static final int LEVEL = 0xc0392b;

  @SuppressWarnings("ArrayRecordComponent") // copied; never compared
  private record Curve(String name, double[] x, double[] y) {}

  private record Level(String name, double y) {}

  private final String title;
  private final String xName;
  private final String yName;
  private final List<Curve> curves = new ArrayList<>();
  private final List<Level> levels = new ArrayList<>();
  private boolean logarithmic;

  /** Makes a plot without curves. */
  public Plot(String title, String xName, String yName) {
    this.title = title;
    this.xName = xName;
    this.yName = yName;
  }

  /** Makes the vertical axis logarithmic. */
  public Plot logarithmic() {
    logarithmic = true;
    return this;
  }

  /** Adds values over 0, 1, 2 and so on. */
  public Plot curve(String name, double... y) {
    double[] x = new double[y.length];
    Arrays.setAll(x, i -> i);
    return curve(name, x, y);
  }

  /**
   * Adds values over others.
   *
   * @throws IllegalArgumentException if there are not as many of both
   */
  public Plot curve(String name, double[] x, double[] y) {
    if (x.length != y.length) {
      throw new IllegalArgumentException(
          "curve '%s' has %d places and %d values; give one for each"
              .formatted(name, x.length, y.length));
    }
    curves.add(new Curve(name, x.clone(), y.clone()));
    return this;
  }

  /** Adds a horizontal line. */
  public Plot level(String name, double y) {
    levels.add(new Level(name, y));
    return this;
  }

  /** Returns a picture of the plot alone, as a PNG file. */
  public byte[] png(int width, int height) {
    Canvas canvas = new Canvas(width, height);
    draw(canvas, 0, 0, width, height);
    return canvas.png();
  }

  /** Draws the plot into a rectangle of a picture. */
  public void draw(Canvas canvas, int x, int y, int width, int height) {
    new Frame(canvas, x + 62, y + 26, width - 76, height - 62).draw();
  }

  private double scaled(double value) {
    return logarithmic ? Math.log10(value) : value;
  }

  private boolean shown(double x, double y) {
    return Double.isFinite(x) && Double.isFinite(y) && (!logarithmic || y > 0);
  }

  /** The area between the axes. */
  private final class Frame {
    private final Canvas canvas;
    private final int left;
    private final int top;
    private final int width;
    private final int height;
    private final double[] across = {Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY};
    private final double[] up = {Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY};

    Frame(Canvas canvas, int left, int top, int width, int height) {
      this.canvas = canvas;
      this.left = left;
      this.top = top;
      this.width = width;
      this.height = height;
      for (Curve curve : curves) {
        for (int i = 0; i < curve.x.length; i++) {
          if (shown(curve.x[i], curve.y[i])) {
            widen(across, curve.x[i]);
            widen(up, scaled(curve.y[i]));
          }
        }
      }
      for (Level level : levels) {
        if (shown(0, level.y)) {
          widen(up, scaled(level.y));
        }
      }
      settle(across);
      settle(up);
      double step = upStep();
      up[0] = Math.floor(up[0] / step) * step;
      up[1] = Math.ceil(up[1] / step) * step;
    }

    private static void widen(double[] range, double value) {
      range[0] = Math.min(range[0], value);
      range[1] = Math.max(range[1], value);
    }

    /** Gives an empty range a width. */
    private static void settle(double[] range) {
      if (range[0] > range[1]) {
        range[0] = 0;
        range[1] = 1;
      } else if (range[0] == range[1]) {
        range[0] -= 0.5;
        range[1] += 0.5;
      }
    }

    /** Returns the distance between marks of the vertical axis: whole powers of ten only. */
    private double upStep() {
      double step = step(up, height / 40);
      return logarithmic ? Math.max(1, Math.ceil(step)) : step;
    }

    /** Returns a round distance between at most so many marks. */
    private static double step(double[] range, int most) {
      double least = (range[1] - range[0]) / Math.max(1, most);
      double power = Math.pow(10, Math.floor(Math.log10(least)));
      for (double factor : new double[] {1, 2, 5}) {
        if (factor * power >= least) {
          return factor * power;
        }
      }
      return 10 * power;
    }

    private double column(double x) {
      return left + width * (x - across[0]) / (across[1] - across[0]);
    }

    private double row(double scaledY) {
      return top + height * (up[1] - scaledY) / (up[1] - up[0]);
    }

    void draw() {
      canvas.text(left, top - 18, title, 2, INK);
      double step = upStep();
      for (double mark = up[0]; mark <= up[1] + step / 2; mark += step) {
        int y = (int) Math.round(row(mark));
        canvas.fill(left, y, width, 1, GRID);
        String text = logarithmic ? "1e" + Math.round(mark) : number(mark, step);
        canvas.text(left - 6 - Canvas.textWidth(text, 1), y - 3, text, 1, INK);
      }
      double wide = step(across, width / 70);
      for (double mark = Math.ceil(across[0] / wide) * wide;
          mark <= across[1] + wide / 1e6;
          mark += wide) {
        int x = (int) Math.round(column(mark));
        canvas.fill(x, top, 1, height, GRID);
        String text = number(mark, wide);
        canvas.text(x - Canvas.textWidth(text, 1) / 2, top + height + 6, text, 1, INK);
      }
      canvas.fill(left, top, 1, height + 1, FRAME);
      canvas.fill(left, top + height, width + 1, 1, FRAME);
      int end = left + width - Canvas.textWidth(xName, 1);
      canvas.text(end, top + height + 20, xName, 1, INK);
      canvas.text(left + 6, top + 6, yName, 1, INK);
      drawLevels();
      drawCurves();
    }

    private void drawLevels() {
      for (Level level : levels) {
        if (shown(0, level.y)) {
          double y = row(scaled(level.y));
          canvas.line(left, y, left + width, y, 1, LEVEL);
          canvas.text(left + 6, (int) y - 10, level.name, 1, LEVEL);
        }
      }
    }

    private void drawCurves() {
      for (int c = 0; c < curves.size(); c++) {
        Curve curve = curves.get(c);
        int color = COLORS[c % COLORS.length];
        int before = -1;
        for (int i = 0; i < curve.x.length; i++) {
          if (!shown(curve.x[i], curve.y[i])) {
            continue;
          }
          int from = before < 0 ? i : before;
          canvas.line(
              column(curve.x[from]),
              row(scaled(curve.y[from])),
              column(curve.x[i]),
              row(scaled(curve.y[i])),
              2,
              color);
          before = i;
        }
        int y = top + 6 + 12 * c;
        int end = left + width - 6;
        canvas.text(end - Canvas.textWidth(curve.name, 1), y, curve.name, 1, color);
      }
    }

    private String number(double value, double step) {
      int digits = (int) Math.clamp(Math.ceil(-Math.log10(step) - 1e-9), 0, 12);
      String text = String.format(Locale.ROOT, "%." + digits + "f", value);
      return text.length() <= 8 ? text : String.format(Locale.ROOT, "%.1e", value);
    }
  }
}
