package dev.rialto.runtime.trace;

import dev.rialto.text.Json;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A trace file that Perfetto and chrome://tracing open: a process per rank, a track per device and
 * stream, and on it the operations as slices with their time in the queue.
 *
 * <p>One at a time in a process. Thread-safe. Events are written as they end, so a long run does
 * not collect them in memory.
 */
public final class Trace implements AutoCloseable {
  private static final AtomicReference<@Nullable Trace> ACTIVE = new AtomicReference<>();

  private final BufferedWriter out;
  private final int rank;
  private final long start = System.nanoTime();
  private final Map<String, Integer> tracks = new LinkedHashMap<>();
  private boolean first = true;
  private @Nullable IOException failure;

  private Trace(BufferedWriter out, int rank) {
    this.out = out;
    this.rank = rank;
  }

  /**
   * Starts a trace of everything that ends from now on, until it is closed.
   *
   * @param rank the process in the trace; 0 where there are no ranks
   * @throws IllegalStateException if there is one already
   */
  public static Trace start(Path file, int rank) {
    try {
      Trace trace = new Trace(Files.newBufferedWriter(file), rank);
      if (!ACTIVE.compareAndSet(null, trace)) {
        trace.out.close();
        throw new IllegalStateException("a trace is being written; close it before another");
      }
      trace.out.write("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
      trace.metadata("process_name", 0, "rank " + rank);
      return trace;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the trace being written, or null. */
  public static @Nullable Trace active() {
    return ACTIVE.getPlain();
  }

  /** Adds an operation; times are of {@link System#nanoTime}. */
  public synchronized void operation(
      String device, String stream, String kind, String name, long added, long began, long ended) {
    Map<String, Object> event = new LinkedHashMap<>();
    event.put("name", name);
    event.put("cat", kind);
    event.put("ph", "X");
    event.put("ts", micros(began - start));
    event.put("dur", micros(ended - began));
    event.put("pid", rank);
    event.put("tid", track(device, stream));
    event.put("args", Map.of("queueMicros", added == 0 ? 0 : micros(began - added)));
    write(event);
  }

  private int track(String device, String stream) {
    String name = stream.startsWith(device) ? stream : device + "/" + stream;
    Integer known = tracks.get(name);
    if (known == null) {
      known = tracks.size() + 1;
      tracks.put(name, known);
      metadata("thread_name", known, name);
    }
    return known;
  }

  private void metadata(String what, int track, String name) {
    Map<String, Object> event = new LinkedHashMap<>();
    event.put("name", what);
    event.put("ph", "M");
    event.put("pid", rank);
    event.put("tid", track);
    event.put("args", Map.of("name", name));
    write(event);
  }

  private void write(Map<String, Object> event) {
    try {
      out.write(first ? "\n" : ",\n");
      first = false;
      out.write(Json.write(event));
    } catch (IOException e) {
      // The stream that ends an operation is not to fail for it; closing the trace does.
      failure = e;
    }
  }

  private static double micros(long nanos) {
    return nanos / 1e3;
  }

  /** Ends the trace. Closing again does nothing. */
  @Override
  public synchronized void close() {
    if (!ACTIVE.compareAndSet(this, null)) {
      return;
    }
    try (out) {
      out.write("\n]}\n");
    } catch (IOException e) {
      throw new UncheckedIOException("the trace is not complete", e);
    }
    if (failure != null) {
      throw new UncheckedIOException("the trace is not complete", failure);
    }
  }
}
