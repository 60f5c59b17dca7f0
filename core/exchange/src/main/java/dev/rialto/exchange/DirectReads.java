package dev.rialto.exchange;

import dev.rialto.exchange.transport.ChannelSpec;
import dev.rialto.exchange.transport.DirectChannel;
import dev.rialto.exchange.transport.SharedMemory;
import dev.rialto.exchange.transport.Transports;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;

/**
 * Runs in which ranks of one node read what they need from the arrays of all ranks themselves, in
 * any order and straight to where it is used: a move that is part of a computation.
 *
 * <p>Messages of the shared transport, each of which is an offer of an array. A run is {@link
 * #await}, reads from the {@linkplain #address addresses}, and {@link #finish}; all ranks do it.
 * Meanwhile each is in the same call, so arrays need not be held. Ranks of one process can read any
 * native memory, others that of a team's arrays and what was {@linkplain Exchanger#allocateShared
 * allocated} for it. Used by one thread at a time, except that many may read; made by an {@link
 * Exchanger}, which closes it.
 */
public final class DirectReads implements AutoCloseable {
  private final Exchanger exchanger;
  private final int rank;
  private final boolean oneProcess;
  private final int[] others;
  private final DirectChannel channel;
  private final long[] addresses;
  private final MemorySegment[] offered = new MemorySegment[1];
  private boolean closed;

  /** Connects all ranks. Collective. */
  DirectReads(Exchanger exchanger, int tag, SharedMemory shared) {
    this.exchanger = exchanger;
    Communicator comm = exchanger.communicator();
    this.rank = comm.rank();
    this.oneProcess = shared.oneProcess();
    this.others = IntStream.range(0, comm.size()).filter(peer -> peer != rank).toArray();
    // Nothing is ever packed.
    long[] bytes = new long[others.length];
    ChannelSpec wiring =
        new ChannelSpec(
            comm,
            tag,
            DType.I8,
            others,
            bytes,
            others,
            bytes,
            false,
            1,
            shared,
            Arena.ofAuto()::allocate);
    this.channel = (DirectChannel) Transports.get("shared").open(wiring);
    this.addresses = new long[comm.size()];
  }

  /** Returns whether any native memory can be offered, not only what is allocated for it. */
  public boolean oneProcess() {
    return oneProcess;
  }

  /** Returns whether all ranks can read an array of this one where it is. */
  public boolean reaches(MemorySegment array) {
    return others.length == 0 || oneProcess || channel.canOffer(0, array);
  }

  /**
   * Offers an array and waits until all ranks have; then theirs may be read, until {@link #finish}.
   *
   * @throws IllegalArgumentException if other processes cannot read it
   * @throws dev.rialto.spi.error.PeerFailedException if a rank has failed
   */
  public void await(MemorySegment array) {
    if (!reaches(array)) {
      throw new IllegalArgumentException(
          "other processes cannot read %s; give memory of allocateShared, or of an array"
              .formatted(array));
    }
    offered[0] = array;
    addresses[rank] = array.address();
    channel.begin();
    for (int message : channel.order()) {
      channel.offer(message, offered);
    }
    channel.sent();
    for (int message = channel.next(); message >= 0; message = channel.next()) {
      addresses[others[message]] = channel.offered(message, 0).address();
    }
    channel.read();
  }

  /** Returns the address of a rank's array. */
  public long address(int peer) {
    return addresses[peer];
  }

  /** Waits until no rank reads this one's array any more. */
  public void finish() {
    for (int message = 0; message < others.length; message++) {
      channel.release(message);
    }
    channel.end();
  }

  /** Tells the others that this rank has failed, and waits while one of them reads its memory. */
  void fail() {
    channel.fail();
  }

  /**
   * Gives the memory back. Collective, but not after a failure; a rank that still reads is told,
   * not left waiting. Closing again does nothing.
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    exchanger.forget(this);
    if (!exchanger.hasFailed()) {
      channel.close();
    }
  }
}
