package dev.rialto.spi.parts.messages;

import dev.rialto.spi.parts.messages.WindowRequest.Kind;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The accesses of one rank to a window over messages that are not known to be complete. */
final class PendingAccesses {
  private final MessageWindows comm;
  private final long window;

  /** Targets with accesses that were not flushed, and what waits for their answers. */
  private final BitSet accessed = new BitSet();

  private final List<List<Runnable>> fetches = new ArrayList<>();

  PendingAccesses(MessageWindows comm, long window) {
    this.comm = comm;
    this.window = window;
    for (int rank = 0; rank < comm.size(); rank++) {
      fetches.add(new ArrayList<>());
    }
  }

  /** Sends an access; {@code result} is for what was at its place before. */
  void begin(int target, WindowRequest access, @Nullable MemorySegment result) {
    if (result == null) {
      comm.tell(target, access);
    }
    Runnable fetch = result == null ? null : comm.fetch(target, access, result);
    synchronized (this) {
      accessed.set(target);
      if (fetch != null) {
        fetches.get(target).add(fetch);
      }
    }
  }

  /** Returns the targets that have something to flush. */
  synchronized int[] targets() {
    return accessed.stream().toArray();
  }

  /** Completes accesses, by a request that the servers of their targets answer after them. */
  void finish(Kind kind, int... targets) {
    List<Runnable> answers = new ArrayList<>();
    for (int target : targets) {
      answers.addAll(take(target));
      answers.add(comm.ask(target, kind, window));
    }
    MessageWindows.awaitAll(answers);
  }

  private synchronized List<Runnable> take(int target) {
    accessed.clear(target);
    return fetches.set(target, new ArrayList<>());
  }
}
