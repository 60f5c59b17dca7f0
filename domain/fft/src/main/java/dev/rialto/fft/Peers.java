package dev.rialto.fft;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.exchange.transport.SharedMemory;
import dev.rialto.exchange.transport.Signals;
import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/**
 * The ranks of one node, and where their arrays are in this rank's address space.
 *
 * <p>A rank {@linkplain #offer offers} an array by writing where it is on its board, which all can
 * read. After a barrier every rank may read every array; after a second barrier only its owner may.
 * Ranks of one process can read any native memory of one another; others what was {@linkplain
 * #allocate allocated} for it.
 *
 * <p>An owner stays in its call between the barriers, so its memory stays. If it fails, it says so,
 * and leaves when no rank reads any more: a reader first marks itself as one and then looks whether
 * a rank has failed, an owner first says that it has and then looks for readers.
 */
final class Peers implements AutoCloseable {
  private static final VarHandle WORD = JAVA_LONG.varHandle();
  private static final long LINE = 64;

  /** Where on its board a rank says that it reads. */
  private static final long READS = 16;

  private final Communicator comm;
  private final SharedMemory shared;
  private final MemorySegment board;
  private final MemorySegment[] boards;
  private final Signals signals;
  private final long[] bases;
  private long meetings;

  /** The addresses of all ranks' shared allocations here, in the order of allocation. */
  private final List<long[]> windows = new ArrayList<>();

  private Peers(Communicator comm, SharedMemory shared) {
    this.comm = comm;
    this.shared = shared;
    int ranks = comm.size();
    this.board = shared.allocate(LINE + Signals.bytes(ranks));
    board.fill((byte) 0);
    comm.barrier();
    this.boards = new MemorySegment[ranks];
    MemorySegment[] lines = new MemorySegment[ranks];
    for (int rank = 0; rank < ranks; rank++) {
      boards[rank] = place(rank, 0).asSlice(0, board.byteSize());
      lines[rank] = boards[rank].asSlice(LINE);
    }
    // Exchanges on the same communicator take tags from 0 and never the last.
    this.signals = new Signals(comm, comm.maxTag(), lines, shared.oneProcess());
    this.bases = new long[ranks];
    windows.add(new long[0]);
  }

  /** Finds out whether all ranks can read one another's memory. Collective. */
  static Optional<Peers> of(Communicator comm) {
    if (!comm.capabilities().contains(Capability.SHARED_WINDOWS)
        || !comm.capabilities().contains(Capability.COLLECTIVES)) {
      return Optional.empty();
    }
    SharedMemory shared = new SharedMemory(comm);
    if (!shared.oneNode()) {
      shared.close();
      return Optional.empty();
    }
    return Optional.of(new Peers(comm, shared));
  }

  /** Returns whether any native memory can be offered, not only what is allocated here. */
  boolean oneProcess() {
    return shared.oneProcess();
  }

  /** Allocates memory to offer. Collective; it lives as long as this. */
  MemorySegment allocate(long bytes) {
    MemorySegment mine = shared.allocate(bytes);
    long[] addresses = new long[comm.size()];
    int window = windows.size();
    Arrays.setAll(addresses, rank -> place(rank, window).address());
    windows.add(addresses);
    return mine;
  }

  /** Returns a rank's part of an allocation. */
  private MemorySegment place(int rank, int window) {
    return shared.resolve(rank, window, 0);
  }

  /** Says which array the others may read. */
  void offer(MemorySegment array) {
    long window = shared.window(array);
    board.set(JAVA_LONG, 0, window);
    board.set(JAVA_LONG, 8, shared.place(array, window));
  }

  /** Waits until all have offered; then their arrays may be read, until {@link #finish}. */
  void await() {
    meet();
    WORD.setVolatile(board, READS, 1L);
    VarHandle.fullFence();
    for (int rank = 0; rank < bases.length; rank++) {
      signals.requireThere(rank);
    }
    for (int rank = 0; rank < bases.length; rank++) {
      long window = boards[rank].get(JAVA_LONG, 0);
      long place = boards[rank].get(JAVA_LONG, 8);
      bases[rank] =
          window == SharedMemory.BY_ADDRESS ? place : windows.get((int) window)[rank] + place;
    }
  }

  /** Returns the address of a rank's array. */
  long address(int rank) {
    return bases[rank];
  }

  /** Waits until nobody reads any more. */
  void finish() {
    WORD.setVolatile(board, READS, 0L);
    meet();
  }

  /** Tells the others that this rank has failed, and waits while one of them reads its memory. */
  void fail() {
    WORD.setVolatile(board, READS, 0L);
    signals.fail();
    VarHandle.fullFence();
    for (int rank = 0; rank < boards.length && shared.oneProcess(); rank++) {
      while ((long) WORD.getVolatile(boards[rank], READS) != 0) {
        LockSupport.parkNanos(this, 50_000);
      }
    }
  }

  /** A barrier that allocates nothing. */
  private void meet() {
    meetings++;
    for (int i = 1; i < bases.length; i++) {
      signals.set((comm.rank() + i) % bases.length, meetings);
    }
    for (int i = 1; i < bases.length; i++) {
      signals.await((comm.rank() + i) % bases.length, meetings);
    }
  }

  /** Gives the memory back. Collective; a rank that still transforms is told, not left waiting. */
  @Override
  public void close() {
    signals.part();
    shared.close();
  }
}
