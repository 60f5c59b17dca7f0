package dev.rialto.runtime.trace;

import dev.rialto.text.Json;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Set;
import jdk.jfr.ValueDescriptor;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedThread;
import org.jspecify.annotations.Nullable;

/**
 * Turns Rialto's JFR events into those of a trace file.
 *
 * <p>An event is in the process of its field {@code rank} and on the track of its field {@code
 * stream}, or else of its thread; its other fields are shown with it. So an event of any module is
 * in the trace once it is one of JFR.
 */
final class TraceEvents {
  private static final String NAMES = "dev.rialto.";
  private static final Set<String> SHOWN_OTHERWISE =
      Set.of("startTime", "duration", "eventThread", "stackTrace", "rank", "stream", "begunBefore");

  /** A track of a rank. */
  private record Track(int rank, String name) {}

  private final long epoch;
  private final OptionalInt processRank;
  private final Map<Track, Integer> tracks = new HashMap<>();
  private final MemoryCounters memory = new MemoryCounters();

  /**
   * Makes a converter.
   *
   * @param epoch the nanosecond at which the trace's time is 0
   * @param processRank which rank all events are of; empty if they say so themselves
   */
  TraceEvents(long epoch, OptionalInt processRank) {
    this.epoch = epoch;
    this.processRank = processRank;
  }

  /** Returns the event, after what names its rank and track if they are new; none if not ours. */
  List<Map<String, Object>> of(RecordedEvent event) {
    memory.add(event, nanos(event.getEndTime()));
    if (event.getEventType().getName().equals(RunRecord.Entry.NAME)) {
      return List.of(record(event));
    }
    if (!event.getEventType().getName().startsWith(NAMES)) {
      return List.of();
    }
    List<Map<String, Object>> written = new ArrayList<>();
    int rank = rank(event);
    int track = track(new Track(rank, trackName(event)), written);
    long began = nanos(event.getStartTime()) - number(event, "begunBefore", 0);
    long took = number(event, "deviceTime", event.getDuration().toNanos());
    Map<String, Object> slice = new LinkedHashMap<>();
    slice.put("name", name(event));
    slice.put("cat", event.getEventType().getLabel());
    slice.put("ph", "X");
    slice.put("ts", (began - epoch) / 1e3);
    slice.put("dur", took / 1e3);
    slice.put("pid", rank);
    slice.put("tid", track);
    slice.put("args", details(event));
    written.add(slice);
    return written;
  }

  /**
   * Returns what a run was about as metadata, which viewers of traces leave alone and which, unlike
   * a part of the file of its own, can be added to by one rank after another.
   */
  private Map<String, Object> record(RecordedEvent event) {
    Map<String, Object> content = new LinkedHashMap<>();
    content.put("section", event.getString("section"));
    if (Json.read(event.getString("content")) instanceof Map<?, ?> members) {
      members.forEach((name, value) -> content.put((String) name, value));
    }
    Map<String, Object> metadata = metadata("rialto", rank(event), 0, content);
    // JFR does not keep the order in which they were recorded.
    metadata.put("ts", (nanos(event.getStartTime()) - epoch) / 1e3);
    return metadata;
  }

  /** Returns the memory that each space held over time, once all events were taken. */
  List<Map<String, Object>> memory() {
    List<Map<String, Object>> written = new ArrayList<>();
    memory.forEach(
        (time, space, bytes) -> {
          Map<String, Object> counter = new LinkedHashMap<>();
          counter.put("name", space);
          counter.put("cat", "Memory");
          counter.put("ph", "C");
          counter.put("ts", (time - epoch) / 1e3);
          counter.put("pid", processRank.orElse(0));
          counter.put("args", Map.of("bytes", bytes));
          written.add(counter);
        });
    return written;
  }

  private int rank(RecordedEvent event) {
    return processRank.orElse((int) Math.max(0, number(event, "rank", 0)));
  }

  private static String trackName(RecordedEvent event) {
    String stream = text(event, "stream");
    if (stream != null) {
      return stream;
    }
    RecordedThread thread = event.getThread();
    String name = thread == null ? null : thread.getJavaName();
    return name == null || name.isEmpty() ? "threads" : name;
  }

  private int track(Track track, List<Map<String, Object>> written) {
    Integer known = tracks.get(track);
    if (known != null) {
      return known;
    }
    if (tracks.keySet().stream().noneMatch(other -> other.rank() == track.rank())) {
      written.add(
          metadata("process_name", track.rank(), 0, Map.of("name", "rank " + track.rank())));
    }
    int number = tracks.size() + 1;
    tracks.put(track, number);
    written.add(metadata("thread_name", track.rank(), number, Map.of("name", track.name())));
    return number;
  }

  private static Map<String, Object> metadata(
      String what, int rank, int track, Map<String, Object> content) {
    Map<String, Object> event = new LinkedHashMap<>();
    event.put("name", what);
    event.put("ph", "M");
    event.put("pid", rank);
    event.put("tid", track);
    event.put("args", content);
    return event;
  }

  /** The operation, or what sort of event it is and the first words it has. */
  private static String name(RecordedEvent event) {
    String operation = text(event, "operation");
    if (operation != null) {
      return operation;
    }
    String label = event.getEventType().getLabel();
    return details(event).values().stream()
        .filter(String.class::isInstance)
        .findFirst()
        .map(words -> label + " " + words)
        .orElse(label);
  }

  private static Map<String, Object> details(RecordedEvent event) {
    Map<String, Object> details = new LinkedHashMap<>();
    for (ValueDescriptor field : event.getFields()) {
      Object value = event.getValue(field.getName());
      if (!SHOWN_OTHERWISE.contains(field.getName()) && value != null) {
        details.put(
            field.getName(),
            value instanceof Number || value instanceof Boolean ? value : "" + value);
      }
    }
    return details;
  }

  private static @Nullable String text(RecordedEvent event, String field) {
    return event.hasField(field) ? event.getString(field) : null;
  }

  private static long number(RecordedEvent event, String field, long otherwise) {
    return event.hasField(field) ? event.getLong(field) : otherwise;
  }

  static long nanos(Instant time) {
    return Math.addExact(Math.multiplyExact(time.getEpochSecond(), 1_000_000_000L), time.getNano());
  }
}
