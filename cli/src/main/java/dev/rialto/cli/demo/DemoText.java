package dev.rialto.cli.demo;

import dev.rialto.runtime.limits.MachineLimits;
import dev.rialto.runtime.trace.RunRecord;
import dev.rialto.spi.device.Device;
import dev.rialto.text.Json;
import dev.rialto.text.Table;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The results of the demo: for people, and as a document for {@link Json}. */
public final class DemoText {
  /** An error, as part of the solution, from which on a grid is too coarse. */
  private static final double RESOLVED = 0.1;

  private record Written(String name, String what) {}

  private final PoissonJob job;
  private final PoissonJob.Outcome outcome;
  private final int ranks;
  private final String world;
  private final MachineLimits limits;
  private final List<Written> files = new ArrayList<>();

  /**
   * Makes the text of a job.
   *
   * @param world what the ranks are, in words
   * @param limits of as many threads as the ranks use
   */
  public DemoText(
      PoissonJob job, PoissonJob.Outcome outcome, int ranks, String world, MachineLimits limits) {
    this.job = job;
    this.outcome = outcome;
    this.ranks = ranks;
    this.world = world;
    this.limits = limits;
  }

  /** Adds a file that was written. */
  public void file(Path file, String what) {
    files.add(new Written(file.toString(), what));
  }

  /**
   * Returns whether the two solutions differ by no more than the tolerance explains: a residual of
   * that size is one of a few times that in the solution, as the smoothest waves, which dominate
   * it, are the ones that the matrix shrinks most.
   */
  public boolean agrees() {
    return outcome
        .gradients()
        .map(part -> part.difference() <= 100 * job.tolerance() + 1e-12)
        .orElse(true);
  }

  /** Returns whether there are points enough for what is computed to resemble the solution. */
  public boolean resolves() {
    return outcome.transforms().map(part -> part.error() <= RESOLVED).orElse(true);
  }

  public String text() {
    StringBuilder text = new StringBuilder();
    text.append(headline()).append('\n');
    text.append(
        format(
            "%d rank%s, %s; %s memory moves %.1f GB/s at most%n%n",
            ranks, ranks == 1 ? "" : "s", world, where(), bandwidth() * 1e-9));
    text.append(speed()).append('\n');
    if (outcome.transforms().isPresent()) {
      text.append(accuracy()).append('\n');
    }
    if (!resolves()) {
      text.append(
          format(
              "This grid does not resolve the charges: differences are off by %.0f %% of the"
                  + " solution.%nGive --grid 32 or more for results that mean something.%n%n",
              100 * outcome.transforms().orElseThrow().error()));
    }
    Table written = Table.withoutHeader(2);
    files.forEach(file -> written.row(file.name, file.what));
    text.append(written);
    if (!outcome.complete()) {
      text.append("Interrupted: this is what was reached.\n");
    }
    return text.toString();
  }

  private double bandwidth() {
    return outcome.deviceBytesPerSecond() > 0 ? outcome.deviceBytesPerSecond() : limits.bandwidth();
  }

  private String where() {
    return job.device().map(device -> device.name() + "'s").orElse("the");
  }

  private String headline() {
    return format(
        "Poisson's equation in a periodic cube of %d^3 points, %d charges (seed %d)",
        job.n(), outcome.charges(), job.seed());
  }

  private static String chosen(PoissonJob.Transforms part) {
    return "grid %s, moved %s, engine %s%s"
        .formatted(part.grid(), part.scheme(), part.engine(), tried(part.candidates().size()));
  }

  private static String chosen(PoissonJob.Gradients part) {
    return "%d iterations, format %s, halos %s%s"
        .formatted(
            part.result().iterations(),
            part.format(),
            part.scheme(),
            tried(part.candidates().size()));
  }

  private Table speed() {
    Table table =
        Table.of("solved by", "time", "GB/s", "of the most", "tuned and chosen")
            .alignRight(1, 2, 3);
    outcome
        .transforms()
        .ifPresent(
            part ->
                table.row(
                    "FFT",
                    seconds(part.seconds()),
                    rate((double) part.bytes(), part.seconds()),
                    share((double) part.bytes(), part.seconds()),
                    chosen(part)));
    outcome
        .gradients()
        .ifPresent(
            part ->
                table.row(
                    "CG",
                    seconds(part.seconds()),
                    rate(bytes(part), part.seconds()),
                    share(bytes(part), part.seconds()),
                    chosen(part)));
    return table;
  }

  private static String tried(int candidates) {
    return candidates > 1 ? ": best of " + candidates : "";
  }

  private static double bytes(PoissonJob.Gradients part) {
    return (double) part.bytes() * part.result().iterations();
  }

  private Table accuracy() {
    Table table = Table.of("largest difference", "of 1", "as expected of").alignRight(1);
    outcome
        .transforms()
        .ifPresent(
            part ->
                table
                    .row(
                        "FFT, exact symbol, from the exact solution",
                        number(part.exactError()),
                        "a series of waves")
                    .row(
                        "FFT, symbol of differences, from the exact solution",
                        number(part.error()),
                        "second order in h"
                            + (part.order() > 0 ? format(": measured %.2f", part.order()) : "")));
    outcome
        .gradients()
        .filter(_ -> outcome.complete())
        .ifPresent(
            part ->
                table
                    .row(
                        "CG, matrix of differences, from the exact solution",
                        number(part.error()),
                        "the same system")
                    .row(
                        "CG from FFT, both of differences",
                        number(part.difference()),
                        format("tolerance %.0e", job.tolerance())));
    return table;
  }

  private static String seconds(double seconds) {
    return seconds < 1 ? format("%.1f ms", seconds * 1e3) : format("%.2f s", seconds);
  }

  private static String rate(double bytes, double seconds) {
    return format("%.1f", bytes / seconds * 1e-9);
  }

  private String share(double bytes, double seconds) {
    return format("%.0f %%", 100 * bytes / seconds / bandwidth());
  }

  private static String number(double value) {
    return format("%.1e", value);
  }

  @SuppressWarnings("AnnotateFormatMethod") // the annotation would be a dependency for one method
  private static String format(String text, Object... values) {
    return String.format(Locale.ROOT, text, values);
  }

  /** Adds all of it to the trace, for the report. */
  public void record() {
    job.device()
        .ifPresentOrElse(
            device -> RunRecord.limits(device.name(), bandwidth(), 0),
            () -> RunRecord.limits(limits));
    RunRecord.result("Problem", headline());
    outcome
        .transforms()
        .ifPresent(
            part -> {
              RunRecord.measured(
                  "FFT solve", part.operations(), (double) part.bytes(), part.seconds());
              RunRecord.result("FFT", seconds(part.seconds()) + ", " + chosen(part));
              RunRecord.result("FFT, exact symbol, error", number(part.exactError()));
              RunRecord.result("FFT, symbol of differences, error", number(part.error()));
            });
    outcome
        .gradients()
        .ifPresent(
            part -> {
              int iterations = part.result().iterations();
              RunRecord.curve("CG", part.result().history(), job.tolerance());
              RunRecord.measured(
                  "CG solve", part.operations() * iterations, bytes(part), part.seconds());
              RunRecord.result("CG", seconds(part.seconds()) + ", " + chosen(part));
              if (outcome.complete()) {
                RunRecord.result("CG, error", number(part.error()));
                RunRecord.result("CG from FFT", number(part.difference()));
              }
            });
  }

  public Map<String, Object> document() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("grid", job.n());
    document.put("seed", job.seed());
    document.put("ranks", ranks);
    document.put("world", world);
    document.put("device", job.device().map(Device::name).orElse("cpu:0"));
    document.put("complete", outcome.complete());
    document.put("agrees", agrees());
    document.put("resolved", resolves());
    document.put("machineBytesPerSecond", bandwidth());
    outcome.transforms().ifPresent(part -> document.put("transforms", document(part)));
    outcome.gradients().ifPresent(part -> document.put("gradients", document(part)));
    document.put("files", files.stream().map(Written::name).toList());
    return document;
  }

  private Map<String, Object> document(PoissonJob.Transforms part) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("seconds", part.seconds());
    document.put("grid", part.grid());
    document.put("scheme", part.scheme());
    document.put("engine", part.engine());
    document.put("bytes", part.bytes());
    document.put("ofBandwidth", part.bytes() / part.seconds() / bandwidth());
    document.put("errorOfExactDerivatives", part.exactError());
    document.put("error", part.error());
    document.put("order", part.order());
    document.put(
        "candidates",
        part.candidates().stream()
            .map(
                each ->
                    candidate(
                        each.schemeText() + (each.slabs() ? "" : ", axis by axis"),
                        each.gridText(),
                        each.seconds()))
            .toList());
    return document;
  }

  private Map<String, Object> document(PoissonJob.Gradients part) {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("converged", part.result().converged());
    document.put("iterations", part.result().iterations());
    document.put("residual", part.result().residual());
    document.put("seconds", part.seconds());
    document.put("scheme", part.scheme());
    document.put("format", part.format().toLowerCase(Locale.ROOT));
    document.put("bytesPerIteration", part.bytes());
    document.put("haloBytesPerIteration", part.haloBytes());
    document.put("ofBandwidth", bytes(part) / part.seconds() / bandwidth());
    if (outcome.complete()) {
      document.put("error", part.error());
      document.put("differenceFromTransforms", part.difference());
    }
    document.put(
        "candidates",
        part.candidates().stream()
            .map(each -> candidate(each.way().schemeText(), each.way().grid(), each.seconds()))
            .toList());
    return document;
  }

  private static Map<String, Object> candidate(String scheme, String grid, double seconds) {
    Map<String, Object> candidate = new LinkedHashMap<>();
    candidate.put("scheme", scheme);
    candidate.put("grid", grid);
    candidate.put("seconds", seconds);
    return candidate;
  }
}
