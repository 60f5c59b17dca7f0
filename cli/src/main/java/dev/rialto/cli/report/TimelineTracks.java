package dev.rialto.cli.report;

import dev.rialto.cli.report.TraceFile.Slice;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Slices of time, arranged for drawing: tracks of rows in which nothing overlaps.
 *
 * <p>A page with a million slices would be large and slow. Where there are more than {@link
 * #MOST_SLICES}, neighbours that are shorter than what a screen shows of the whole run become one
 * slice that says how many it stands for, and that length doubles until they are few enough.
 */
final class TimelineTracks {
  static final int MOST_SLICES = 100_000;

  /** Numbers for each slice in a row: start, length, name, kind, detail, bytes, how many. */
  static final int STRIDE = 7;

  /** Details that are shown otherwise or tell readers nothing. */
  private static final List<String> UNTOLD = List.of("operation", "kind", "size", "bytes");

  private record Bar(
      double start, double end, String name, String kind, String detail, double bytes, int count) {
    boolean joins(Bar next, double resolution) {
      return next.start - end < resolution
          && end - start < resolution
          && next.end - next.start < resolution;
    }

    Bar join(Bar next) {
      String longer = end - start < next.end - next.start ? next.kind : kind;
      return new Bar(
          start,
          next.end,
          name.equals(next.name) ? name : longer,
          longer,
          detail.equals(next.detail) ? detail : "",
          bytes + next.bytes,
          count + next.count);
    }
  }

  private record TrackKey(int rank, String name) implements Comparable<TrackKey> {
    @Override
    public int compareTo(TrackKey other) {
      return Comparator.comparingInt(TrackKey::rank)
          .thenComparing(TrackKey::name)
          .compare(this, other);
    }
  }

  /** The sum of slices of one name on one rank. */
  record Total(int rank, String name, String kind, long count, double micros, double longest) {}

  private final Map<String, Integer> texts = new LinkedHashMap<>();
  private final List<Object> runs = new ArrayList<>();

  /** Arranges runs. */
  TimelineTracks(List<ReportedRun> all) {
    for (ReportedRun run : all) {
      Map<TrackKey, List<List<Bar>>> tracks = arrange(run);
      long count = tracks.values().stream().flatMap(List::stream).mapToLong(List::size).sum();
      for (double resolution = run.length() / 20_000;
          count > MOST_SLICES && resolution < 2 * run.length();
          resolution *= 2) {
        count = 0;
        for (List<List<Bar>> rows : tracks.values()) {
          for (int i = 0; i < rows.size(); i++) {
            rows.set(i, joined(rows.get(i), resolution));
            count += rows.get(i).size();
          }
        }
      }
      runs.add(document(run, tracks));
    }
  }

  private static boolean isShown(Slice slice) {
    return !slice.kind().equals("Candidate");
  }

  /** Puts each slice into the first row below those that it lies within or overlaps. */
  private static Map<TrackKey, List<List<Bar>>> arrange(ReportedRun run) {
    Map<TrackKey, List<List<Bar>>> tracks = new TreeMap<>();
    for (Slice slice : run.slices()) {
      if (!isShown(slice)) {
        continue;
      }
      List<List<Bar>> rows =
          tracks.computeIfAbsent(new TrackKey(slice.rank(), slice.track()), _ -> new ArrayList<>());
      int row = rows.size();
      while (row > 0 && rows.get(row - 1).getLast().end <= slice.start()) {
        row--;
      }
      if (row == rows.size()) {
        rows.add(new ArrayList<>());
      }
      rows.get(row).add(bar(slice));
    }
    return tracks;
  }

  private static Bar bar(Slice slice) {
    StringBuilder detail = new StringBuilder();
    slice.details().entrySet().stream()
        .filter(each -> each.getValue() instanceof String && !UNTOLD.contains(each.getKey()))
        .sorted(Map.Entry.comparingByKey())
        .forEach(
            each ->
                detail
                    .append(detail.isEmpty() ? "" : "; ")
                    .append(each.getKey())
                    .append(' ')
                    .append(each.getValue()));
    return new Bar(
        slice.start(),
        slice.end(),
        slice.name(),
        kind(slice),
        detail.toString(),
        Math.max(slice.number("bytes"), slice.number("size")),
        1);
  }

  /** Operations of streams are launches, transfers and others; the rest is as its event says. */
  private static String kind(Slice slice) {
    String kind = slice.text("kind");
    return slice.kind().equals("Operation") && !kind.isEmpty()
        ? kind.charAt(0) + kind.substring(1).toLowerCase(Locale.ROOT)
        : slice.kind();
  }

  private static List<Bar> joined(List<Bar> row, double resolution) {
    List<Bar> fewer = new ArrayList<>();
    for (Bar each : row) {
      if (!fewer.isEmpty() && fewer.getLast().joins(each, resolution)) {
        fewer.set(fewer.size() - 1, fewer.getLast().join(each));
      } else {
        fewer.add(each);
      }
    }
    return fewer;
  }

  private Map<String, Object> document(ReportedRun run, Map<TrackKey, List<List<Bar>>> tracks) {
    List<Object> list = new ArrayList<>();
    tracks.forEach(
        (track, rows) -> {
          Map<String, Object> each = new LinkedHashMap<>();
          each.put("rank", track.rank);
          each.put("name", track.name);
          each.put("rows", rows.stream().map(this::numbers).toList());
          list.add(each);
        });
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("label", run.label());
    document.put("length", run.length());
    document.put("tracks", list);
    return document;
  }

  private List<Number> numbers(List<Bar> row) {
    List<Number> numbers = new ArrayList<>(row.size() * STRIDE);
    for (Bar each : row) {
      numbers.add(rounded(each.start));
      numbers.add(rounded(each.end - each.start));
      numbers.add(text(each.name));
      numbers.add(text(each.kind));
      numbers.add(text(each.detail));
      numbers.add((long) each.bytes);
      numbers.add(each.count);
    }
    return numbers;
  }

  /** Nanoseconds, without the digits that only rounding made; a whole number is shorter text. */
  private static Number rounded(double micros) {
    long nanos = Math.round(micros * 1e3);
    return nanos % 1000 == 0 ? (Number) (nanos / 1000) : (Number) (nanos / 1e3);
  }

  private int text(String text) {
    return texts.computeIfAbsent(text, _ -> texts.size());
  }

  /** Returns what the page's script draws. */
  Map<String, Object> document() {
    Map<String, Object> document = new LinkedHashMap<>();
    document.put("texts", List.copyOf(texts.keySet()));
    document.put("runs", runs);
    return document;
  }

  /**
   * Returns what took the most time on each rank of a run, for those who cannot see the drawing.
   */
  static List<Total> totals(ReportedRun run, int most) {
    record Key(int rank, String name, String kind) {}
    Map<Key, double[]> sums = new LinkedHashMap<>();
    for (Slice slice : run.slices()) {
      if (isShown(slice)) {
        double[] sum =
            sums.computeIfAbsent(
                new Key(slice.rank(), slice.name(), kind(slice)), _ -> new double[3]);
        sum[0]++;
        sum[1] += slice.length();
        sum[2] = Math.max(sum[2], slice.length());
      }
    }
    return sums.entrySet().stream()
        .map(
            each ->
                new Total(
                    each.getKey().rank,
                    each.getKey().name,
                    each.getKey().kind,
                    (long) each.getValue()[0],
                    each.getValue()[1],
                    each.getValue()[2]))
        .sorted(Comparator.comparingDouble(Total::micros).reversed())
        .limit(most)
        .toList();
  }
}
