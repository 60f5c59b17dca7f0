package dev.rialto.exchange.transport;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Ascending numbers that one rank sets and another waits for, each in a cache line of shared
 * memory.
 *
 * <p>A waiting rank spins for a while: if the peer is on another core, it is told within the time a
 * line takes between cores. Then it goes to sleep in the communicator, by replacing the number with
 * a mark; the one that finds the mark when setting the number sends an empty message. So a rank
 * that waits long takes no core, and failed peers and deadlocks are noticed by the communicator. A
 * rank that will set no more numbers says so, and those that wait for one are told.
 */
final class Signals {
  private static final VarHandle WORD = JAVA_LONG.varHandle();
  private static final long ASLEEP = -1;

  /** Added to the last number of a rank that sets no more. */
  private static final long GONE = 1L << 62;

  /** Added as well if that is so because it has failed. */
  private static final long FAILED = 1L << 61;

  private static final int LINE = 64;

  private final Communicator comm;
  private final int tag;

  /** All ranks' lines of these signals: one for each peer. */
  private final MemorySegment[] lines;

  /** The last number set at each peer. */
  private final long[] last;

  private final int spins;
  private final boolean crowded;

  /**
   * Makes signals.
   *
   * @param lines what all ranks have in common, zeroed
   * @param oneProcess whether ranks are threads of this process
   */
  Signals(Communicator comm, int tag, MemorySegment[] lines, boolean oneProcess) {
    this.comm = comm;
    this.tag = tag;
    this.lines = lines;
    this.last = new long[lines.length];
    this.crowded = comm.size() > processors(oneProcess);
    this.spins = crowded ? 64 : 20_000;
  }

  /** Counts those that ranks share: processes may be bound, each to others of the machine's. */
  private static int processors(boolean oneProcess) {
    int mine = Runtime.getRuntime().availableProcessors();
    Path all = Path.of("/sys/devices/system/cpu");
    if (oneProcess || !Files.isDirectory(all)) {
      return mine;
    }
    try (DirectoryStream<Path> processors = Files.newDirectoryStream(all, "cpu[0-9]*")) {
      int count = 0;
      for (Path _ : processors) {
        count++;
      }
      return Math.max(mine, count);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static long bytes(int ranks) {
    return (long) LINE * ranks;
  }

  /** Sets this rank's number at a peer. */
  void set(int peer, long number) {
    last[peer] = number;
    long before = (long) WORD.getAndSet(lines[peer], (long) LINE * comm.rank(), number);
    if (before == ASLEEP) {
      comm.send(MemorySegment.NULL, DType.I8, 0, peer, tag);
    }
  }

  /** Says to all peers that no number will follow, since this rank has failed. Does not wait. */
  void fail() {
    leave(GONE + FAILED);
  }

  private void leave(long mark) {
    for (int peer = 0; peer < lines.length; peer++) {
      if (peer != comm.rank() && last[peer] < GONE) {
        set(peer, last[peer] + mark);
      }
    }
  }

  /**
   * Says to all peers that no number will follow, and waits until they have said so: what comes
   * after involves all of them.
   *
   * @throws dev.rialto.spi.error.PeerFailedException if one has failed
   */
  void part() {
    leave(GONE);
    for (int peer = 0; peer < lines.length; peer++) {
      for (int i = 0; peer != comm.rank() && word(peer) < GONE; i++) {
        if (i < spins) {
          pause(i);
        } else {
          sleep(peer, GONE);
        }
      }
      if ((word(peer) & FAILED) != 0) {
        throw Departed.peer(comm, peer);
      }
    }
  }

  /**
   * Checks that a peer has not said that no number will follow.
   *
   * @throws dev.rialto.spi.error.PeerFailedException if it has
   */
  void requireThere(int peer) {
    if (word(peer) >= GONE) {
      throw Departed.peer(comm, peer);
    }
  }

  private long word(int peer) {
    return (long) WORD.getAcquire(lines[comm.rank()], (long) LINE * peer);
  }

  /** Returns a peer's number here; fails if it is less than one that will never come. */
  long get(int peer, long wanted) {
    long word = word(peer);
    if (word < GONE) {
      return word;
    }
    long number = word & FAILED - 1;
    if (number < wanted) {
      throw Departed.peer(comm, peer);
    }
    return number;
  }

  /**
   * Waits until a peer's number is at least {@code number}.
   *
   * @throws dev.rialto.spi.error.PeerFailedException if the peer has {@linkplain #leave left}
   *     before
   */
  void await(int peer, long number) {
    for (int i = 0; get(peer, number) < number; i++) {
      if (i < spins) {
        pause(i);
      } else {
        sleep(peer, number);
      }
    }
  }

  /** Passes a moment of waiting. */
  void pause(int i) {
    if (crowded || (i & 1023) == 1023) {
      Thread.yield();
    } else {
      Thread.onSpinWait();
    }
  }

  /** Returns whether one has waited long enough to sleep. */
  boolean patient(int i) {
    return i < spins;
  }

  /** Waits for a peer's number without taking a core. */
  void sleep(int peer, long number) {
    long seen = word(peer);
    if (seen < number && WORD.compareAndSet(lines[comm.rank()], (long) LINE * peer, seen, ASLEEP)) {
      var _ = comm.receive(MemorySegment.NULL, DType.I8, 0, peer, tag);
    }
  }
}
