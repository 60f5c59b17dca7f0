package dev.rialto.spi.comm;

import dev.rialto.spi.Capability;

/**
 * A pattern of neighbours, and collectives along its edges.
 *
 * <p>Collective over the whole communicator: every rank calls each operation in the same order,
 * also ranks without neighbours. Block {@code i} of a send buffer goes to {@code targets()[i]},
 * block {@code i} of a receive buffer comes from {@code sources()[i]}. Of several edges between the
 * same two ranks, the {@code k}-th at the sender is the {@code k}-th at the receiver. The rules of
 * {@link Collectives} hold for buffers, counts and order.
 */
public interface Topology extends AutoCloseable {
  /** Returns a fresh array of the ranks this one receives from. */
  int[] sources();

  /** Returns a fresh array of the ranks this one sends to. */
  int[] targets();

  /**
   * Begins a collective. Needs {@link Capability#NON_BLOCKING_NEIGHBORHOODS}. What is wrong with
   * its arguments is said here.
   */
  Request start(Collective.AlongEdges collective);

  /** Does a collective and waits for its result. */
  default void run(Collective.AlongEdges collective) {
    try (Request request = start(collective)) {
      var _ = request.await();
    }
  }

  /**
   * Makes a request of a collective that is to be begun many times with the same buffers.
   * Collective. What is wrong with the arguments is said here or at the first start. Needs {@link
   * Capability#PERSISTENT_NEIGHBORHOODS}.
   */
  PersistentRequest prepare(Collective.AlongEdges collective);

  /** Gives the topology back. Collective. Closing again does nothing. */
  @Override
  void close();
}
