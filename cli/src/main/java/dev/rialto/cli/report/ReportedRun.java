package dev.rialto.cli.report;

import dev.rialto.cli.report.TraceFile.Entry;
import dev.rialto.cli.report.TraceFile.Sample;
import dev.rialto.cli.report.TraceFile.Slice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

/**
 * One run, in the sections of a report; times are microseconds since its start.
 *
 * <p>It may be of several files: those of ranks that could not write to one. Files are of one run
 * if they have no rank in common and their times overlap.
 */
@SuppressWarnings("ArrayRecordComponent") // Series of numbers, made once and never compared.
final class ReportedRun {
  /** A solver's residuals by iteration. */
  record Curve(String name, double[] values, double tolerance) {}

  /** A measurement, as {@code RunRecord.measured} says it. */
  record Point(String name, double operations, double bytes, double seconds) {
    double intensity() {
      return bytes > 0 ? operations / bytes : 0;
    }
  }

  /** The limits of the machine. */
  record Roof(String name, double bytesPerSecond, double operationsPerSecond) {
    /** Returns the most operations per second that so many of them for each byte allow. */
    double at(double intensity) {
      double moved = bytesPerSecond * intensity;
      return operationsPerSecond > 0 ? Math.min(operationsPerSecond, moved) : moved;
    }
  }

  /** A picture, its file in base 64. */
  record Picture(String name, String png) {}

  /** One of the ways that tuning compared. */
  record Candidate(String scheme, String grid, double seconds, boolean timed, boolean chosen) {}

  /** The bytes that one space of memory held, each from a time on, until the end. */
  record Space(String name, double[] times, double[] bytes, double end) {
    double peak() {
      return DoubleStream.of(bytes).max().orElse(0);
    }
  }

  /** The messages from one rank to another. */
  record Sent(long from, long to, double bytes, long messages) {
    private Sent and(Sent other) {
      return new Sent(from, to, bytes + other.bytes, messages + other.messages);
    }
  }

  /** The messages from rank to rank; pairs without any are not among the entries. */
  record Traffic(Map<List<Long>, Sent> pairs) {
    private static final Sent NOTHING = new Sent(0, 0, 0, 0);

    boolean isEmpty() {
      return pairs.isEmpty();
    }

    /** Returns one more than the largest rank that takes part. */
    long ranks() {
      return 1 + pairs.values().stream().mapToLong(s -> Math.max(s.from, s.to)).max().orElse(-1);
    }

    Sent of(long from, long to) {
      return pairs.getOrDefault(List.of(from, to), NOTHING);
    }

    double most() {
      return pairs.values().stream().mapToDouble(Sent::bytes).max().orElse(0);
    }
  }

  private final String label;
  private final List<Slice> slices = new ArrayList<>();
  private final List<Sample> samples = new ArrayList<>();
  private final List<Entry> records = new ArrayList<>();
  private final double length;

  private ReportedRun(List<TraceFile> files) {
    label = files.stream().map(TraceFile::label).collect(Collectors.joining(" + "));
    long epoch = files.getFirst().epoch();
    double start = files.stream().mapToDouble(file -> start(file, epoch)).min().orElse(0);
    double end = files.stream().mapToDouble(file -> end(file, epoch)).max().orElse(0);
    length = Math.max(1, end - start);
    for (TraceFile file : files) {
      double shift = shift(file, epoch) - start;
      file.slices().forEach(slice -> slices.add(slice.shifted(shift)));
      file.samples().forEach(sample -> samples.add(sample.shifted(shift)));
      records.addAll(file.records());
    }
    slices.sort(
        Comparator.comparingDouble(Slice::start)
            .thenComparing(Comparator.comparingDouble(Slice::length).reversed()));
    samples.sort(Comparator.comparingDouble(Sample::time));
  }

  static List<ReportedRun> of(List<TraceFile> files) {
    List<List<TraceFile>> runs = new ArrayList<>();
    for (TraceFile file : files) {
      runs.stream()
          .filter(run -> run.stream().allMatch(other -> areOfOneRun(file, other)))
          .findFirst()
          .ifPresentOrElse(run -> run.add(file), () -> runs.add(new ArrayList<>(List.of(file))));
    }
    return runs.stream().map(ReportedRun::new).toList();
  }

  private static boolean areOfOneRun(TraceFile a, TraceFile b) {
    Set<Integer> common = ranks(a);
    common.retainAll(ranks(b));
    return common.isEmpty()
        && start(a, a.epoch()) < end(b, a.epoch())
        && start(b, a.epoch()) < end(a, a.epoch());
  }

  private static Set<Integer> ranks(TraceFile file) {
    return Stream.concat(
            file.slices().stream().map(Slice::rank), file.samples().stream().map(Sample::rank))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static double shift(TraceFile file, long epoch) {
    return (file.epoch() - epoch) / 1e3;
  }

  private static double start(TraceFile file, long epoch) {
    return shift(file, epoch)
        + DoubleStream.concat(
                file.slices().stream().mapToDouble(Slice::start),
                file.samples().stream().mapToDouble(Sample::time))
            .min()
            .orElse(0);
  }

  private static double end(TraceFile file, long epoch) {
    return shift(file, epoch)
        + DoubleStream.concat(
                file.slices().stream().mapToDouble(Slice::end),
                file.samples().stream().mapToDouble(Sample::time))
            .max()
            .orElse(0);
  }

  String label() {
    return label;
  }

  double length() {
    return length;
  }

  /** Returns what took time, by its start; what holds others comes before them. */
  List<Slice> slices() {
    return slices;
  }

  Map<String, String> environment() {
    return texts("environment");
  }

  Map<String, String> results() {
    return texts("result");
  }

  /** Ranks that are processes each say what they ran on; what they agree on is there once. */
  private Map<String, String> texts(String section) {
    Map<String, Set<String>> all = new LinkedHashMap<>();
    entries(section)
        .forEach(
            each ->
                all.computeIfAbsent(each.text("name"), _ -> new LinkedHashSet<>())
                    .add(each.text("value")));
    Map<String, String> texts = new LinkedHashMap<>();
    all.forEach((name, values) -> texts.put(name, String.join("; ", values)));
    return texts;
  }

  private Stream<Entry> entries(String section) {
    return records.stream().filter(each -> each.isOf(section));
  }

  List<Picture> pictures() {
    return entries("picture")
        .map(each -> new Picture(each.text("name"), each.text("png")))
        .toList();
  }

  List<Curve> curves() {
    return entries("curve")
        .map(each -> new Curve(each.text("name"), each.numbers("values"), each.number("tolerance")))
        .filter(curve -> curve.values.length > 0)
        .toList();
  }

  List<Point> measured() {
    return entries("measured")
        .map(
            each ->
                new Point(
                    each.text("name"),
                    each.number("operations"),
                    each.number("bytes"),
                    each.number("seconds")))
        .filter(point -> point.seconds > 0)
        .toList();
  }

  List<Roof> limits() {
    return entries("limits")
        .map(
            each ->
                new Roof(
                    each.text("name"),
                    each.number("bytesPerSecond"),
                    each.number("operationsPerSecond")))
        .filter(roof -> roof.bytesPerSecond > 0)
        .distinct()
        .toList();
  }

  /** Returns what tuning compared, by the work it was for, fastest first. */
  Map<String, List<Candidate>> schemes() {
    return slices.stream()
        .filter(slice -> slice.kind().equals("Candidate") && slice.number("seconds") > 0)
        .sorted(Comparator.comparingDouble(slice -> slice.number("seconds")))
        .collect(
            Collectors.groupingBy(
                slice -> slice.text("work"),
                LinkedHashMap::new,
                Collectors.mapping(
                    slice ->
                        new Candidate(
                            slice.text("scheme"),
                            slice.text("grid"),
                            slice.number("seconds"),
                            Boolean.TRUE.equals(slice.details().get("timed")),
                            Boolean.TRUE.equals(slice.details().get("chosen"))),
                    Collectors.toList())));
  }

  List<Space> memory() {
    Map<String, List<Sample>> spaces = new TreeMap<>();
    boolean several = samples.stream().mapToInt(Sample::rank).distinct().count() > 1;
    for (Sample each : samples) {
      String name = several ? "rank " + each.rank() + ": " + each.space() : each.space();
      spaces.computeIfAbsent(name, _ -> new ArrayList<>()).add(each);
    }
    List<Space> memory = new ArrayList<>();
    spaces.forEach(
        (name, held) ->
            memory.add(
                new Space(
                    name,
                    held.stream().mapToDouble(Sample::time).toArray(),
                    held.stream().mapToDouble(Sample::bytes).toArray(),
                    length)));
    return memory;
  }

  /** Returns what exchanges moved from rank to rank, without those of trials. */
  Traffic traffic() {
    Map<Integer, List<Slice>> trials =
        slices.stream()
            .filter(slice -> slice.kind().equals("Trial"))
            .collect(Collectors.groupingBy(Slice::rank));
    List<Slice> messages =
        slices.stream()
            .filter(slice -> slice.kind().equals("Exchange Message") && slice.number("peer") >= 0)
            .filter(
                slice ->
                    trials.getOrDefault(slice.rank(), List.of()).stream()
                        .noneMatch(t -> t.start() <= slice.start() && slice.end() <= t.end()))
            .toList();
    Map<List<Long>, Sent> pairs = new HashMap<>();
    for (Slice each : messages) {
      long from = (long) each.number("peer");
      long to = each.rank();
      pairs.merge(List.of(from, to), new Sent(from, to, each.number("bytes"), 1), Sent::and);
    }
    return new Traffic(pairs);
  }
}
