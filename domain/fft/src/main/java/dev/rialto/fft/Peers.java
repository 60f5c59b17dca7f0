package dev.rialto.fft;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.exchange.transport.SharedMemory;
import dev.rialto.exchange.transport.Signals;
import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * The ranks of one node, and where their arrays are in this rank's address space.
 *
 * <p>A rank {@linkplain #offer offers} an array by writing where it is on its board, which all can
 * read. A meeting of all later everybody may read everybody's, and after another they are their
 * owners' again. Ranks of one process can read any native memory of one another; others what was
 * {@linkplain #allocate allocated} for it.
 */
final class Peers implements AutoCloseable {
  private static final long LINE = 64;

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

  /** Waits until all have offered. */
  void await() {
    meet();
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
    meet();
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

  @Override
  public void close() {
    shared.close();
  }
}
