package dev.rialto.cli.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;

/**
 * A chart of lines and marks.
 *
 * <p>Lines are SVG that is stretched to the room there is, with strokes that are not; marks and
 * labels are HTML placed by parts of that room. So one chart is right on a phone and on a wall, on
 * paper, and without a script.
 */
final class LineChart {
  private static final int MOST_POINTS = 1000;

  /** An axis along an edge; of a logarithmic one all values are positive. */
  record Axis(String title, double low, double high, boolean log, DoubleFunction<String> text) {
    static Axis linear(String title, double high, DoubleFunction<String> text) {
      return new Axis(title, 0, high > 0 ? high : 1, false, text);
    }

    /** Returns one from whole powers of ten to whole powers of ten. */
    static Axis log(String title, double low, double high, DoubleFunction<String> text) {
      double bottom = Math.floor(Math.log10(low) + 1e-9);
      double top = Math.max(bottom + 1, Math.ceil(Math.log10(high) - 1e-9));
      return new Axis(title, Math.pow(10, bottom), Math.pow(10, top), true, text);
    }

    /** Returns where a value is, from 0 to 1. */
    double at(double value) {
      double part =
          log
              ? Math.log(Math.max(value, Double.MIN_NORMAL) / low) / Math.log(high / low)
              : (value - low) / (high - low);
      return Math.clamp(part, 0, 1);
    }

    List<Double> ticks() {
      List<Double> ticks = new ArrayList<>();
      if (log) {
        int bottom = (int) Math.round(Math.log10(low));
        int top = (int) Math.round(Math.log10(high));
        int step = Math.ceilDiv(top - bottom, 7);
        for (int power = bottom; power <= top; power += step) {
          ticks.add(Math.pow(10, power));
        }
        return ticks;
      }
      double rough = (high - low) / 4;
      double power = Math.pow(10, Math.floor(Math.log10(rough)));
      double step =
          power
              * (rough / power < 1.5 ? 1 : rough / power < 3.5 ? 2 : rough / power < 7.5 ? 5 : 10);
      for (int i = 0; low + i * step <= high * (1 + 1e-9); i++) {
        ticks.add(low + i * step);
      }
      return ticks;
    }
  }

  private final String label;
  private final Axis x;
  private final Axis y;
  private final Markup lines = new Markup();
  private final Markup marks = new Markup();

  /** Starts one; the label is for those who cannot see it. */
  LineChart(String label, Axis x, Axis y) {
    this.label = label;
    this.x = x;
    this.y = y;
  }

  /** Draws a line through points; it is broken where a value is no number. */
  LineChart line(double[] xs, double[] ys, String style) {
    StringBuilder path = new StringBuilder();
    int stride = Math.max(1, Math.ceilDiv(xs.length, MOST_POINTS));
    boolean drawing = false;
    for (int i = 0;
        i < xs.length;
        i = i < xs.length - 1 ? Math.min(i + stride, xs.length - 1) : i + 1) {
      boolean there = Double.isFinite(ys[i]) && (!y.log || ys[i] > 0);
      if (there) {
        path.append(drawing ? 'L' : 'M').append(place(xs[i], ys[i]));
      }
      drawing = there;
    }
    lines.empty("path", "d", path.toString(), "class", style);
    return this;
  }

  /** Draws what holds from each point to the next, down to the bottom. */
  LineChart steps(double[] xs, double[] ys, double end, String style) {
    StringBuilder path = new StringBuilder("M").append(place(xs[0], 0));
    for (int i = 0; i < xs.length; i++) {
      path.append('L').append(place(xs[i], ys[i]));
      path.append('L').append(place(i + 1 < xs.length ? xs[i + 1] : end, ys[i]));
    }
    path.append('L').append(place(end, 0)).append('Z');
    lines.empty("path", "d", path.toString(), "class", style);
    return this;
  }

  /** Marks a point with a short text. */
  LineChart mark(double atX, double atY, String text, String title, String style) {
    marks.element("span", text, "class", "mark " + style, "title", title, "style", style(atX, atY));
    return this;
  }

  private String style(double atX, double atY) {
    return String.format(
        Locale.ROOT, "left:%.2f%%;top:%.2f%%", 100 * x.at(atX), 100 - 100 * y.at(atY));
  }

  private String place(double atX, double atY) {
    return String.format(Locale.ROOT, "%.1f %.1f", 1000 * x.at(atX), 1000 - 1000 * y.at(atY));
  }

  /** Writes it. */
  void write(Markup out) {
    out.open("div", "class", "plot", "role", "img", "aria-label", label);
    out.element("div", y.title, "class", "y-title");
    out.open("div", "class", "y-ticks");
    for (double tick : y.ticks()) {
      String top = String.format(Locale.ROOT, "top:%.2f%%", 100 - 100 * y.at(tick));
      out.element("span", y.text.apply(tick), "style", top);
    }
    out.close();
    out.open("div", "class", "area");
    out.open(
        "svg", "viewBox", "0 0 1000 1000", "preserveAspectRatio", "none", "aria-hidden", "true");
    for (double tick : y.ticks()) {
      gridLine(out, "M0 %1$.1fL1000 %1$.1f", 1000 - 1000 * y.at(tick));
    }
    for (double tick : x.ticks()) {
      gridLine(out, "M%1$.1f 0L%1$.1f 1000", 1000 * x.at(tick));
    }
    out.raw(lines.toString()).close().raw(marks.toString()).close();
    out.open("div", "class", "x-ticks");
    for (double tick : x.ticks()) {
      String left = String.format(Locale.ROOT, "left:%.2f%%", 100 * x.at(tick));
      out.element("span", x.text.apply(tick), "style", left);
    }
    out.close();
    out.element("div", x.title, "class", "x-title");
    out.close();
  }

  private static void gridLine(Markup out, String path, double at) {
    out.empty("path", "d", String.format(Locale.ROOT, path, at), "class", "grid");
  }
}
