package dev.rialto.cli.report;

import dev.rialto.text.Json;
import dev.rialto.text.JsonException;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A trace that was read: what took time, memory over time, and what the run was about.
 *
 * <p>Traces of other programs in the same format have their slices shown; what a file has that
 * reports do not show is passed over, and what cannot be read ends in a sentence.
 */
public final class TraceFile {
  private static final long MOST_BYTES = 1L << 30;

  /**
   * Something that took time; times are microseconds since midnight of the trace's day.
   *
   * @param kind what sort of event it is
   */
  record Slice(
      int rank,
      String track,
      String name,
      String kind,
      double start,
      double length,
      Map<String, Object> details) {
    double end() {
      return start + length;
    }

    Slice shifted(double by) {
      return new Slice(rank, track, name, kind, start + by, length, details);
    }

    double number(String detail) {
      return details.get(detail) instanceof Number value ? value.doubleValue() : 0;
    }

    String text(String detail) {
      return details.get(detail) instanceof String value ? value : "";
    }
  }

  /** The bytes that a space of memory held from a moment on. */
  record Sample(int rank, String space, double time, double bytes) {
    Sample shifted(double by) {
      return new Sample(rank, space, time + by, bytes);
    }
  }

  /** A section of a run's description, and its content. */
  record Entry(double time, Map<String, Object> content) {
    boolean isOf(String section) {
      return section.equals(content.get("section"));
    }

    String text(String member) {
      return content.get(member) instanceof String value ? value : "";
    }

    double number(String member) {
      return content.get(member) instanceof Number value ? value.doubleValue() : 0;
    }

    /** Returns a list of numbers; what JSON has no number for is not one. */
    double[] numbers(String member) {
      return content.get(member) instanceof List<?> values
          ? values.stream()
              .mapToDouble(each -> each instanceof Number value ? value.doubleValue() : Double.NaN)
              .toArray()
          : new double[0];
    }
  }

  private final Path file;
  private final long epoch;
  private final List<Slice> slices = new ArrayList<>();
  private final List<Sample> samples = new ArrayList<>();
  private final List<Entry> records = new ArrayList<>();
  private final Map<String, String> tracks = new HashMap<>();

  private TraceFile(Path file, long epoch) {
    this.file = file;
    this.epoch = epoch;
  }

  /**
   * Reads a file.
   *
   * @throws TraceException if it is no trace
   */
  public static TraceFile read(Path file) throws TraceException {
    Object document;
    try {
      if (Files.size(file) > MOST_BYTES) {
        throw new TraceException(file + " has more than 1 GiB; trace a shorter run");
      }
      String text = Files.readString(file);
      if (text.isBlank()) {
        throw new TraceException(file + " is empty");
      }
      document = Json.read(text);
    } catch (NoSuchFileException e) {
      throw new TraceException(file + " does not exist");
    } catch (CharacterCodingException e) {
      throw new TraceException(file + " is no trace: it is not text");
    } catch (IOException e) {
      throw new TraceException(file + " cannot be read");
    } catch (JsonException e) {
      throw new TraceException(file + " is no trace, or not all of one: " + e.getMessage());
    }
    if (!(document instanceof Map<?, ?> members
        && members.get("traceEvents") instanceof List<?> events)) {
      throw new TraceException(file + " is no trace: it has no list 'traceEvents'");
    }
    TraceFile trace = new TraceFile(file, epoch(members.get("epochNanos")));
    for (int i = 0; i < events.size(); i++) {
      if (!(events.get(i) instanceof Map<?, ?> event)) {
        throw trace.wrong(i, "is no object");
      }
      trace.add(i, event);
    }
    trace.records.sort(Comparator.comparingDouble(Entry::time));
    if (trace.slices.isEmpty() && trace.records.isEmpty() && trace.samples.isEmpty()) {
      throw new TraceException(file + " has nothing in it that a report shows");
    }
    return trace;
  }

  private static long epoch(@Nullable Object nanos) {
    try {
      return nanos instanceof String digits ? Long.parseLong(digits) : 0;
    } catch (NumberFormatException e) {
      // Of another program: its times count from a moment that only it knows.
      return 0;
    }
  }

  private TraceException wrong(int event, String what) {
    return new TraceException(file + " is no trace: event " + event + " " + what);
  }

  private void add(int index, Map<?, ?> event) throws TraceException {
    Map<String, Object> details = object(event.get("args"));
    String name = String.valueOf(event.get("name"));
    int rank = event.get("pid") instanceof Number pid ? Math.clamp(pid.longValue(), 0, 1 << 24) : 0;
    String track = rank + " " + event.get("tid");
    switch (String.valueOf(event.get("ph"))) {
      case "M" -> {
        if (name.equals("thread_name")) {
          tracks.put(track, String.valueOf(details.get("name")));
        } else if (name.equals("rialto")) {
          records.add(new Entry(number(index, event, "ts"), details));
        }
      }
      case "X" ->
          slices.add(
              new Slice(
                  rank,
                  tracks.getOrDefault(track, "track " + event.get("tid")),
                  name,
                  String.valueOf(event.get("cat")),
                  number(index, event, "ts"),
                  Math.max(0, number(index, event, "dur")),
                  details));
      case "C" -> {
        if (details.get("bytes") instanceof Number bytes) {
          samples.add(new Sample(rank, name, number(index, event, "ts"), bytes.doubleValue()));
        }
      }
      default -> {}
    }
  }

  private static Map<String, Object> object(@Nullable Object value) {
    Map<String, Object> members = new HashMap<>();
    if (value instanceof Map<?, ?> map) {
      map.forEach(
          (name, member) -> {
            if (member != null) {
              members.put((String) name, member);
            }
          });
    }
    return members;
  }

  private double number(int index, Map<?, ?> event, String member) throws TraceException {
    if (event.get(member) instanceof Number value && Double.isFinite(value.doubleValue())) {
      return value.doubleValue();
    }
    throw wrong(index, "has no number '" + member + "'");
  }

  /** Returns the file's name without what says its kind. */
  String label() {
    Path name = file.getFileName();
    return String.valueOf(name).replaceFirst("(\\.trace)?\\.json$", "");
  }

  /** Returns the nanosecond at which the trace's time is 0. */
  long epoch() {
    return epoch;
  }

  List<Slice> slices() {
    return slices;
  }

  List<Sample> samples() {
    return samples;
  }

  /** Returns what the run was about, in the order in which that was said. */
  List<Entry> records() {
    return records;
  }
}
