package dev.rialto.runtime.trace;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.rialto.system.files.ScratchFolder;
import dev.rialto.system.files.WholeFile;
import dev.rialto.text.Json;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;

/**
 * A trace file that Perfetto and chrome://tracing open, made of all of Rialto's JFR events between
 * its start and its end: a process per rank, and in it a track per stream and thread.
 *
 * <p>While it runs it costs what recording with JFR costs; the file appears at the end, in place of
 * an older one. Ranks that are processes name the same file: the first one empties it as it starts,
 * and each adds its part as it ends, under a lock, so that the file is whole after each of them; a
 * part that cannot be written is taken back. Where they do not share a folder, each node has a
 * file.
 */
public final class Trace implements AutoCloseable {
  static final String RESIDENT = "jdk.ResidentSetSize";
  static final String HEAP = "jdk.GCHeapSummary";

  private static final Duration MEMORY_PERIOD = Duration.ofMillis(100);
  private static final String HEAD = "{\"displayTimeUnit\":\"ns\",\"epochNanos\":\"";
  private static final String EVENTS = "\",\"traceEvents\":[\n";
  private static final String SEPARATOR = ",\n";
  private static final String TAIL = "\n]}\n";
  private static final Pattern START =
      Pattern.compile(Pattern.quote(HEAD) + "(\\d+)" + Pattern.quote(EVENTS));

  private final Path file;
  private final OptionalInt rank;
  private final Instant day = Instant.now().truncatedTo(ChronoUnit.DAYS);
  private final Recording recording = new Recording();
  private final AtomicBoolean open = new AtomicBoolean(true);

  private Trace(Path file, OptionalInt rank) {
    this.file = file;
    this.rank = rank;
  }

  /**
   * Starts a trace.
   *
   * @param rank which rank this process is, if it is one of several
   * @throws UncheckedIOException if the file cannot be written
   */
  public static Trace start(Path file, OptionalInt rank) {
    Trace trace = new Trace(file, rank);
    try {
      // Whether there can be a file shows now, and not when the run is over.
      WholeFile.create(file).close();
      if (rank.isPresent() && rank.getAsInt() == 0) {
        WholeFile.write(file, trace.empty());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e.getMessage(), e);
    }
    trace.recording.setName("Rialto trace");
    trace.recording.enable(RESIDENT).withPeriod(MEMORY_PERIOD);
    trace.recording.enable(HEAP);
    trace.recording.start();
    return trace;
  }

  private String empty() {
    return HEAD + TraceEvents.nanos(day) + EVENTS + TAIL;
  }

  /**
   * Ends the trace and writes it. Closing again does nothing.
   *
   * @throws UncheckedIOException if the file cannot be written
   */
  @Override
  public void close() {
    if (!open.compareAndSet(true, false)) {
      return;
    }
    try (recording;
        ScratchFolder folder = ScratchFolder.create()) {
      recording.stop();
      Path events = folder.path().resolve("events.jfr");
      recording.dump(events);
      if (rank.isPresent()) {
        append(file, events);
      } else {
        WholeFile.make(file, temporary -> append(temporary, events));
      }
    } catch (IOException e) {
      throw new UncheckedIOException("the trace is not complete: " + e.getMessage(), e);
    }
  }

  /** Ends the trace and leaves the file to the ranks, processes of their own, that write to it. */
  public void handOver() {
    if (open.compareAndSet(true, false)) {
      recording.close();
    }
  }

  private void append(Path to, Path events) throws IOException {
    // A lock on the file is the process's; threads of it wait for one another here.
    synchronized (Trace.class) {
      try (FileChannel channel =
              FileChannel.open(
                  to,
                  StandardOpenOption.READ,
                  StandardOpenOption.WRITE,
                  StandardOpenOption.CREATE);
          FileLock _ = channel.lock();
          RecordingFile recorded = new RecordingFile(events)) {
        // A rank that does not see the first one's folder begins a file of its own.
        if (channel.size() == 0) {
          channel.write(ByteBuffer.wrap(empty().getBytes(UTF_8)));
        }
        ByteBuffer head = ByteBuffer.allocate(128);
        int read = Math.max(0, channel.read(head, 0));
        Matcher start = START.matcher(new String(head.array(), 0, read, UTF_8));
        if (!start.lookingAt()) {
          throw new IOException("another program has written to it");
        }
        long end = channel.size() - TAIL.length();
        channel.position(end);
        try {
          append(recorded, channel, start, end == start.end() ? "" : SEPARATOR);
        } catch (IOException e) {
          // The writing of other ranks stays readable.
          channel.write(ByteBuffer.wrap(TAIL.getBytes(UTF_8)), end);
          channel.truncate(end + TAIL.length());
          throw e;
        }
      }
    }
  }

  private void append(RecordingFile recorded, FileChannel channel, Matcher start, String before)
      throws IOException {
    // Not closed, for that would close the channel, and the lock goes first.
    Writer out = new BufferedWriter(Channels.newWriter(channel, UTF_8));
    TraceEvents converted = new TraceEvents(Long.parseLong(start.group(1)), rank);
    String separator = before;
    while (recorded.hasMoreEvents()) {
      separator = write(out, separator, converted.of(recorded.readEvent()));
    }
    write(out, separator, converted.memory());
    out.write(TAIL);
    out.flush();
  }

  private static String write(Writer out, String before, List<Map<String, Object>> events)
      throws IOException {
    String separator = before;
    for (Map<String, Object> event : events) {
      out.write(separator);
      out.write(Json.write(event));
      separator = SEPARATOR;
    }
    return separator;
  }
}
