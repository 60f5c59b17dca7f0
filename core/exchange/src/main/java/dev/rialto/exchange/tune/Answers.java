package dev.rialto.exchange.tune;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.system.files.TuningCache;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * The answers of a tuner that are known from before, and what is told of each to traces and
 * records.
 *
 * @param cache where answers are kept
 * @param settings what an answer depends on besides the ranks and what is tuned
 * @param tiles the tiles there are; an answer with others is of another version
 * @param progress says whether a search was stopped, whose answer is not kept
 */
record Answers(
    Communicator comm,
    Optional<TuningCache> cache,
    String settings,
    List<String> tiles,
    Benchmark.Progress progress) {
  interface Search {
    Tuned run();
  }

  Tuned remembered(String what, Search search) {
    TuningEvent event = new TuningEvent();
    event.begin();
    Tuned found = found(what, search);
    event.commit(what, found, comm.rank());
    if (comm.rank() == 0) {
      for (Tuned.Candidate each : found.candidates()) {
        TuningRecord.candidate(
            what,
            each.way().described(),
            each.way().grid(),
            each.seconds(),
            each.timed(),
            each.way().equals(found.way()));
      }
    }
    return found;
  }

  /** Rank 0 looks the answer up and tells the others, so that all do the same. */
  private Tuned found(String what, Search search) {
    if (cache.isEmpty()) {
      return search.run();
    }
    String comms = comm.name().replaceFirst("/.*", "");
    String key =
        "%s on %d ranks of %s, %s, %s"
            .formatted(what, comm.size(), comms, settings, tiles)
            .replace(' ', '_');
    String known = tell(comm.rank() == 0 ? cache.get().get(key).orElse("") : "");
    Optional<TuningChoice> answer =
        TuningChoice.parse(known).filter(way -> tiles.contains(way.tile()));
    if (answer.isPresent()) {
      return new Tuned(answer.get(), List.of(), true);
    }
    Tuned found = search.run();
    if (comm.rank() == 0 && !progress.stop()) {
      cache.get().put(key, found.way().line());
    }
    return found;
  }

  /** Returns rank 0's text on all ranks. */
  private String tell(String text) {
    try (Arena arena = Arena.ofConfined()) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      MemorySegment length = arena.allocateFrom(JAVA_LONG, bytes.length);
      comm.broadcast(length, DType.I64, 1, 0);
      long count = length.get(JAVA_LONG, 0);
      MemorySegment buffer = arena.allocate(Math.max(count, 1));
      if (comm.rank() == 0) {
        MemorySegment.copy(bytes, 0, buffer, JAVA_BYTE, 0, bytes.length);
      }
      comm.broadcast(buffer, DType.I8, count, 0);
      return new String(buffer.asSlice(0, count).toArray(JAVA_BYTE), StandardCharsets.UTF_8);
    }
  }
}
