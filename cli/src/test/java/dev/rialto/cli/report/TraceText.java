package dev.rialto.cli.report;

import dev.rialto.text.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes traces as commands do, with what a test wants in them. */
final class TraceText {
  private final List<Map<String, Object>> events = new ArrayList<>();

  /** A trace with something for every section, and names that want to be more than text. */
  static TraceText full(String name) {
    TraceText trace = new TraceText();
    for (int rank = 0; rank < 2; rank++) {
      trace.slice(rank, "solve " + name, "Phase", 0, 900_000, Map.of());
      for (int i = 0; i < 50; i++) {
        double start = 10_000 + i * 15_000;
        trace.slice(
            rank,
            "Exchange halo",
            "Exchange",
            start,
            9_000,
            Map.of("plan", "halo", "scheme", "shared", "bytes", 4096));
        trace.slice(
            rank,
            "Exchange Message",
            "Exchange Message",
            start + 1_000,
            2_000 + 100.0 * i,
            Map.of("peer", 1 - rank, "bytes", 4096 * (1 + rank)));
      }
      trace.counter(rank, "process, resident", 0, 1 << 28).counter(rank, "cpu", 400_000, 3 << 20);
    }
    trace.slice(
        0,
        "increment",
        "Operation",
        905_000,
        40_000,
        Map.of("kind", "LAUNCH", "operation", "increment", "size", 1 << 20));
    trace.candidate("transpose 64x64x64", "shared", "2x1", 1.1e-3, true);
    trace.candidate("transpose 64x64x64", "point-to-point", "1x2", 2.2e-3, false);
    trace.record("environment", Map.of("name", "Command", "value", "rialto solve " + name));
    trace.record("environment", Map.of("name", "Cores", "value", "2"));
    trace.record("result", Map.of("name", "Error", "value", "1.5e-9 " + name));
    trace.record("picture", Map.of("name", "the field", "png", PIXEL));
    trace.record(
        "curve", Map.of("name", "cg", "values", List.of(1.0, 0.1, 1e-3, 1e-7), "tolerance", 1e-6));
    trace.record(
        "measured", Map.of("name", "product", "operations", 2e9, "bytes", 1.2e10, "seconds", 1.0));
    trace.record("measured", Map.of("name", "copy", "operations", 0, "bytes", 8e9, "seconds", 1.0));
    trace.record(
        "limits",
        Map.of("name", "2 threads", "bytesPerSecond", 1.6e10, "operationsPerSecond", 6e10));
    return trace;
  }

  /** The smallest picture. */
  private static final String PIXEL =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJg"
          + "gg==";

  TraceText slice(
      int rank,
      String name,
      String kind,
      double start,
      double length,
      Map<String, Object> details) {
    Map<String, Object> event = event(name, "X", rank, details);
    event.put("cat", kind);
    event.put("ts", start);
    event.put("dur", length);
    return this;
  }

  TraceText counter(int rank, String space, double time, long bytes) {
    event(space, "C", rank, Map.of("bytes", bytes)).put("ts", time);
    return this;
  }

  TraceText candidate(String work, String scheme, String grid, double seconds, boolean chosen) {
    Map<String, Object> details = new LinkedHashMap<>();
    details.put("work", work);
    details.put("scheme", scheme);
    details.put("grid", grid);
    details.put("seconds", seconds);
    details.put("timed", true);
    details.put("chosen", chosen);
    return slice(0, "Candidate", "Candidate", 0, 0, details);
  }

  TraceText record(String section, Map<String, Object> content) {
    Map<String, Object> all = new LinkedHashMap<>(content);
    all.put("section", section);
    event("rialto", "M", 0, all).put("ts", events.size());
    return this;
  }

  private Map<String, Object> event(
      String name, String phase, int rank, Map<String, Object> details) {
    Map<String, Object> event = new LinkedHashMap<>();
    event.put("name", name);
    event.put("ph", phase);
    event.put("pid", rank);
    event.put("tid", 1);
    event.put("args", details);
    events.add(event);
    return event;
  }

  Path write(Path file) throws IOException {
    return Files.writeString(
        file, Json.write(Map.of("epochNanos", "1000000", "traceEvents", events)));
  }
}
