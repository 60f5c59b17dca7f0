package dev.rialto.cli.report;

import dev.rialto.cli.report.LineChart.Axis;
import dev.rialto.cli.report.ReportedRun.Candidate;
import dev.rialto.cli.report.ReportedRun.Curve;
import dev.rialto.cli.report.ReportedRun.Point;
import dev.rialto.cli.report.ReportedRun.Roof;
import dev.rialto.cli.report.ReportedRun.Space;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** The sections that are charts, each with its numbers as a table. */
final class Charts {
  /** The lines that can be told apart. */
  private static final int STYLES = 8;

  private final List<ReportedRun> runs;

  Charts(List<ReportedRun> runs) {
    this.runs = runs;
  }

  /** Something of a run, with its name where there are several. */
  private record Of<T>(String name, T what) {}

  private <T> List<Of<T>> all(Function<ReportedRun, List<T>> part, Function<T, String> name) {
    List<Of<T>> all = new ArrayList<>();
    for (ReportedRun run : runs) {
      part.apply(run)
          .forEach(each -> all.add(new Of<>(labelled(runs, run, name.apply(each)), each)));
    }
    return all;
  }

  /** Returns a name, after that of its run where there are several. */
  static String labelled(List<ReportedRun> runs, ReportedRun run, String name) {
    return runs.size() == 1 ? name : run.label() + ": " + name;
  }

  private static String style(int index) {
    return "s" + index % STYLES;
  }

  private static void legend(Markup out, List<String> names) {
    out.open("ul", "class", "legend");
    for (int i = 0; i < names.size(); i++) {
      out.open("li").element("span", "", "class", "key " + style(i)).text(names.get(i)).close();
    }
    out.close();
  }

  void schemes(Markup out) {
    out.element("p", "What tuning compared, fastest first.", "class", "lead");
    for (ReportedRun run : runs) {
      run.schemes()
          .forEach(
              (work, candidates) -> {
                out.element("h3", labelled(runs, run, work));
                scheme(out, work, candidates);
              });
    }
  }

  private static void scheme(Markup out, String work, List<Candidate> candidates) {
    double best = candidates.getFirst().seconds();
    double worst = candidates.getLast().seconds();
    ScrollingTable.open(out, "Schemes for " + work);
    boolean grids = candidates.stream().anyMatch(each -> !each.grid().equals("-"));
    ScrollingTable.head(
        out,
        grids
            ? List.of("Scheme", "Grid", "Time", "Of the fastest", "")
            : List.of("Scheme", "Time", "Of the fastest", ""));
    out.open("tbody");
    for (Candidate each : candidates) {
      out.open("tr", "class", each.chosen() ? "chosen" : "");
      out.open("td").element("span", each.scheme(), "class", "name");
      if (each.chosen()) {
        out.element("span", "chosen", "class", "badge");
      }
      out.close();
      if (grids) {
        out.element("td", each.grid());
      }
      out.element(
          "td",
          Quantity.seconds(each.seconds()) + (each.timed() ? "" : " (estimate)"),
          "class",
          "number");
      out.element(
          "td",
          best > 0 ? String.format(Locale.ROOT, "%.2f ×", each.seconds() / best) : "",
          "class",
          "number");
      String width =
          String.format(
              Locale.ROOT, "width:%.1f%%", 100 * (worst > 0 ? each.seconds() / worst : 0));
      out.open("td", "class", "meter", "aria-hidden", "true");
      out.element("span", "", "style", width).close().close();
    }
    out.close();
    ScrollingTable.close(out);
  }

  void roofline(Markup out) {
    List<Of<Point>> points = all(ReportedRun::measured, Point::name);
    List<Roof> roofs = runs.stream().flatMap(run -> run.limits().stream()).distinct().toList();
    out.element(
        "p",
        roofs.isEmpty()
            ? "Operations per second against operations for each byte moved."
            : "Operations per second against operations for each byte moved, below what the machine"
                + " can do at most.",
        "class",
        "lead");
    List<Of<Point>> placed = points.stream().filter(p -> p.what.intensity() > 0).toList();
    if (!placed.isEmpty()) {
      rooflinePlot(out, placed, roofs);
    }
    ScrollingTable.open(out, "Measured rates");
    ScrollingTable.head(
        out,
        List.of("", "What", "Time", "Moved", "Computed", "Operations/byte", "Of what is possible"));
    out.open("tbody");
    for (Of<Point> each : points) {
      int place = placed.indexOf(each);
      Point point = each.what;
      out.open("tr").open("td");
      if (place >= 0) {
        out.element("span", Integer.toString(place + 1), "class", "mark " + style(place));
      }
      out.close();
      ScrollingTable.cell(out, each.name);
      ScrollingTable.cell(out, Quantity.seconds(point.seconds()));
      ScrollingTable.cell(out, Quantity.of(point.bytes() / point.seconds(), "B/s"));
      ScrollingTable.cell(
          out,
          point.operations() > 0 ? Quantity.of(point.operations() / point.seconds(), "op/s") : "–");
      ScrollingTable.cell(out, point.operations() > 0 ? Quantity.digits(point.intensity()) : "–");
      share(out, point, roofs);
      out.close();
    }
    for (Roof roof : roofs) {
      out.open("tr", "class", "roof").element("td", "");
      ScrollingTable.cell(out, roof.name());
      ScrollingTable.cell(out, "");
      ScrollingTable.cell(out, Quantity.of(roof.bytesPerSecond(), "B/s"));
      ScrollingTable.cell(
          out,
          roof.operationsPerSecond() > 0 ? Quantity.of(roof.operationsPerSecond(), "op/s") : "–");
      ScrollingTable.cell(out, "");
      ScrollingTable.cell(out, "");
      out.close();
    }
    out.close();
    ScrollingTable.close(out);
  }

  /** Of the roof that leaves the most room, so that nothing is praised for a low one. */
  private static void share(Markup out, Point point, List<Roof> roofs) {
    Optional<Double> share =
        roofs.stream()
            .map(
                roof ->
                    point.operations() > 0
                        ? point.operations() / point.seconds() / roof.at(point.intensity())
                        : point.bytes() / point.seconds() / roof.bytesPerSecond())
            .min(Comparator.naturalOrder());
    out.open("td", "class", "number share");
    if (share.isPresent()) {
      String width =
          String.format(Locale.ROOT, "width:%.1f%%", 100 * Math.clamp(share.get(), 0, 1));
      out.open("span", "class", "meter", "aria-hidden", "true");
      out.element("span", "", "style", width).close().text(Quantity.percent(share.get()));
    }
    out.close();
  }

  private static void rooflinePlot(Markup out, List<Of<Point>> points, List<Roof> roofs) {
    double[] intensities = points.stream().mapToDouble(p -> p.what.intensity()).toArray();
    double low = DoubleStream.of(intensities).min().orElse(1);
    double high = DoubleStream.of(intensities).max().orElse(1);
    for (Roof roof : roofs) {
      if (roof.operationsPerSecond() > 0) {
        high = Math.max(high, 3 * roof.operationsPerSecond() / roof.bytesPerSecond());
      }
    }
    Axis x = Axis.log("operations for each byte", low / 2, high * 2, Quantity::digits);
    double most = 0;
    double least = Double.MAX_VALUE;
    for (Of<Point> each : points) {
      double rate = each.what.operations() / each.what.seconds();
      most = Math.max(most, rate);
      least = Math.min(least, rate);
    }
    for (Roof roof : roofs) {
      most = Math.max(most, roof.at(x.high()));
      least = Math.min(least, roof.at(low));
    }
    Axis y =
        Axis.log("operations per second", least / 2, most * 1.2, v -> Quantity.of(v, "").strip());
    LineChart plot = new LineChart("Roofline; its points are in the table below", x, y);
    for (Roof roof : roofs) {
      double knee =
          roof.operationsPerSecond() > 0
              ? Math.clamp(roof.operationsPerSecond() / roof.bytesPerSecond(), x.low(), x.high())
              : x.high();
      double[] xs = {x.low(), knee, x.high()};
      double[] ys = DoubleStream.of(xs).map(roof::at).toArray();
      // What lies below the chart's edge begins at that edge.
      if (ys[0] < y.low()) {
        xs[0] = y.low() / roof.bytesPerSecond();
        ys[0] = y.low();
      }
      plot.line(xs, ys, "roof");
    }
    for (int i = 0; i < points.size(); i++) {
      Point point = points.get(i).what;
      plot.mark(
          point.intensity(),
          point.operations() / point.seconds(),
          Integer.toString(i + 1),
          points.get(i).name,
          style(i));
    }
    plot.write(out);
  }

  void convergence(Markup out) {
    List<Of<Curve>> curves = all(ReportedRun::curves, Curve::name);
    out.element("p", "The residual after each iteration.", "class", "lead");
    double[] positive =
        curves.stream()
            .flatMapToDouble(
                curve ->
                    DoubleStream.concat(
                        DoubleStream.of(curve.what.values()),
                        DoubleStream.of(curve.what.tolerance())))
            .filter(value -> value > 0 && Double.isFinite(value))
            .toArray();
    int longest = curves.stream().mapToInt(curve -> curve.what.values().length).max().orElse(1);
    LineChart plot =
        new LineChart(
            "Residuals by iteration; the table below has them in numbers",
            Axis.linear("iterations", Math.max(1, longest - 1), Quantity::digits),
            Axis.log(
                "relative residual",
                DoubleStream.of(positive).min().orElse(1),
                DoubleStream.of(positive).max().orElse(1),
                Quantity::power));
    double[] tolerances =
        curves.stream()
            .mapToDouble(c -> c.what.tolerance())
            .filter(t -> t > 0)
            .distinct()
            .toArray();
    for (double tolerance : tolerances) {
      plot.line(
          new double[] {0, Math.max(1, longest - 1)}, new double[] {tolerance, tolerance}, "goal");
    }
    for (int i = 0; i < curves.size(); i++) {
      double[] values = curves.get(i).what.values();
      plot.line(IntStream.range(0, values.length).asDoubleStream().toArray(), values, style(i));
    }
    plot.write(out);
    legend(out, curves.stream().map(Of::name).toList());
    ScrollingTable.open(out, "Convergence");
    ScrollingTable.head(
        out, List.of("Solver", "Iterations", "First", "Last", "Goal", "Each iteration"));
    out.open("tbody");
    for (Of<Curve> each : curves) {
      double[] values = each.what.values();
      double first = values[0];
      double last = values[values.length - 1];
      double factor = values.length > 1 ? Math.pow(last / first, 1.0 / (values.length - 1)) : 1;
      ScrollingTable.row(
          out,
          each.name,
          Integer.toString(values.length - 1),
          String.format(Locale.ROOT, "%.2e", first),
          String.format(Locale.ROOT, "%.2e", last),
          each.what.tolerance() > 0
              ? String.format(Locale.ROOT, "%.0e", each.what.tolerance())
              : "–",
          String.format(Locale.ROOT, "%.3f ×", factor));
    }
    out.close();
    ScrollingTable.close(out);
  }

  void memory(Markup out) {
    List<Of<Space>> spaces = all(ReportedRun::memory, Space::name);
    out.element("p", "What was held over time.", "class", "lead");
    double length = runs.stream().mapToDouble(ReportedRun::length).max().orElse(1);
    double most = spaces.stream().mapToDouble(space -> space.what.peak()).max().orElse(1);
    double mebibyte = 1 << 20;
    LineChart plot =
        new LineChart(
            "Memory over time; the table below has the peaks",
            Axis.linear("seconds", length * 1e-6, Quantity::digits),
            Axis.linear("MiB", most * 1.05 / mebibyte, Quantity::digits));
    for (int i = 0; i < spaces.size(); i++) {
      Space space = spaces.get(i).what;
      plot.steps(
          DoubleStream.of(space.times()).map(time -> time * 1e-6).toArray(),
          DoubleStream.of(space.bytes()).map(bytes -> bytes / mebibyte).toArray(),
          space.end() * 1e-6,
          "filled " + style(i));
    }
    plot.write(out);
    legend(out, spaces.stream().map(Of::name).toList());
    ScrollingTable.open(out, "Memory");
    ScrollingTable.head(out, List.of("Space", "Peak", "At", "At the end"));
    out.open("tbody");
    for (Of<Space> each : spaces) {
      double[] bytes = each.what.bytes();
      int top = IntStream.range(0, bytes.length).reduce(0, (a, b) -> bytes[b] > bytes[a] ? b : a);
      ScrollingTable.row(
          out,
          each.name,
          Quantity.bytes(each.what.peak()),
          Quantity.seconds(each.what.times()[top] * 1e-6),
          Quantity.bytes(bytes[bytes.length - 1]));
    }
    out.close();
    ScrollingTable.close(out);
  }
}
