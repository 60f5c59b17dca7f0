package dev.rialto.spi.comm;

import dev.rialto.spi.Capability;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Messages from one rank to another.
 *
 * <p><b>Matching.</b> A receive gets a message sent to it on the same communicator whose source and
 * tag it names or leaves open ({@link #ANY_SOURCE}, {@link #ANY_TAG}). Messages of one sender that
 * could match the same receive are received in the order in which they were sent, and receives that
 * could match the same message get messages in the order in which they were posted, whatever their
 * lengths and modes. A rank may send to itself.
 *
 * <p><b>Length.</b> A receive takes any message up to its count; a longer one fails it with {@link
 * dev.rialto.spi.error.TruncationException} and completes the send; where {@link
 * Capability#INTACT_TRUNCATION} is declared it leaves the buffer unchanged. The bytes are not
 * converted.
 *
 * <p><b>Memory.</b> A buffer is the operation's until the call returns or, for a request, until
 * {@link Request#test} is true or {@link Request#await} has returned: its arena stays open so long,
 * and a persistent request's as long as it is started. Backends keep memory of automatic arenas
 * reachable. What happens if an arena is closed earlier depends on who touches the memory. Ranks
 * that are threads of one process get an exception at both ends, which names the rank that freed
 * its memory; nothing else is touched. Where a library works with the address after the call that
 * was given it has returned, as MPI does for requests, the memory must not be freed: the JVM cannot
 * refuse it. A request on memory of a confined arena is begun, tested and awaited by the arena's
 * thread.
 *
 * <p><b>Interruption.</b> A wait of an interrupted thread ends with a {@link
 * dev.rialto.spi.error.CommunicationException} whose cause is an {@link InterruptedException}, and
 * the thread stays interrupted. A call that blocks is taken back then; a request stays pending. An
 * operation that can complete without waiting does so. A backend that has a library of its own wait
 * says which of its waits an interrupt does not end.
 *
 * <p><b>Types.</b> A message is received as the type that it was sent as. Where {@link
 * Capability#MESSAGE_TYPES} is declared another type is a {@link
 * dev.rialto.spi.error.MismatchException}. Bits of any type travel as {@link DType#I8}, at both
 * ends.
 *
 * <p><b>Completion.</b> A standard send may wait until it is received; programs must not rely on
 * its returning earlier. Whether heap segments are accepted, and tags up to {@link #maxTag}, is the
 * backend's choice.
 */
public interface PointToPoint {
  /** As a source: receive from whichever rank sends. */
  int ANY_SOURCE = -1;

  /** As a tag: receive whatever the tag. */
  int ANY_TAG = -1;

  /** Returns the name for messages. */
  String name();

  /** Returns this rank's number. */
  int rank();

  /** Returns the number of ranks. */
  int size();

  /** Returns what this communicator can do. */
  Set<Capability> capabilities();

  /** Returns the largest tag; at least 32767. */
  default int maxTag() {
    return 32767;
  }

  /** Sends in standard mode; see {@link #send(MemorySegment, DType, long, int, int, SendMode)}. */
  default void send(MemorySegment buffer, DType type, long count, int target, int tag) {
    send(buffer, type, count, target, tag, SendMode.STANDARD);
  }

  /**
   * Sends a message and returns when the buffer may be reused.
   *
   * @param buffer the elements
   * @param type their type
   * @param count how many
   * @param target the receiver's rank
   * @param tag a number from 0 to {@link #maxTag} to tell messages apart
   * @param mode modes other than standard need {@link Capability#SEND_MODES}
   */
  default void send(
      MemorySegment buffer, DType type, long count, int target, int tag, SendMode mode) {
    throw Capability.POINT_TO_POINT.unsupported(name());
  }

  /**
   * Receives a message.
   *
   * @param source the sender's rank or {@link #ANY_SOURCE}
   * @param tag the tag or {@link #ANY_TAG}
   * @return who sent it, the tag and the length
   */
  default Status receive(MemorySegment buffer, DType type, long count, int source, int tag) {
    throw Capability.POINT_TO_POINT.unsupported(name());
  }

  /**
   * Sends one message and receives another at the same time, so that ranks which do so in a ring do
   * not wait for each other. The buffers must not overlap.
   */
  default Status sendReceive(
      MemorySegment sendBuffer,
      long sendCount,
      int target,
      int sendTag,
      MemorySegment receiveBuffer,
      long receiveCount,
      int source,
      int receiveTag,
      DType type) {
    throw Capability.POINT_TO_POINT.unsupported(name());
  }

  /** Begins a send; needs {@link Capability#NON_BLOCKING}. */
  default Request isend(
      MemorySegment buffer, DType type, long count, int target, int tag, SendMode mode) {
    throw Capability.NON_BLOCKING.unsupported(name());
  }

  /** Begins a standard send; needs {@link Capability#NON_BLOCKING}. */
  default Request isend(MemorySegment buffer, DType type, long count, int target, int tag) {
    return isend(buffer, type, count, target, tag, SendMode.STANDARD);
  }

  /** Begins a receive; needs {@link Capability#NON_BLOCKING}. */
  default Request ireceive(MemorySegment buffer, DType type, long count, int source, int tag) {
    throw Capability.NON_BLOCKING.unsupported(name());
  }

  /** Describes a send to be begun many times; needs {@link Capability#PERSISTENT}. */
  default PersistentRequest persistentSend(
      MemorySegment buffer, DType type, long count, int target, int tag, SendMode mode) {
    throw Capability.PERSISTENT.unsupported(name());
  }

  /** Describes a receive to be begun many times; needs {@link Capability#PERSISTENT}. */
  default PersistentRequest persistentReceive(
      MemorySegment buffer, DType type, long count, int source, int tag) {
    throw Capability.PERSISTENT.unsupported(name());
  }

  /**
   * Begins a send of elements that do not lie together, without packing them first; needs {@link
   * Capability#LAYOUTS}. Any receive of as many bytes matches it.
   */
  default Request isend(MemorySegment buffer, Layout layout, int target, int tag) {
    throw Capability.LAYOUTS.unsupported(name());
  }

  /**
   * Begins a receive into elements that do not lie together; needs {@link Capability#LAYOUTS}. A
   * shorter message fills the first elements of the layout.
   */
  default Request ireceive(MemorySegment buffer, Layout layout, int source, int tag) {
    throw Capability.LAYOUTS.unsupported(name());
  }

  /** Describes a send of a layout; needs {@link Capability#LAYOUTS}. */
  default PersistentRequest persistentSend(
      MemorySegment buffer, Layout layout, int target, int tag) {
    throw Capability.LAYOUTS.unsupported(name());
  }

  /** Describes a receive into a layout; needs {@link Capability#LAYOUTS}. */
  default PersistentRequest persistentReceive(
      MemorySegment buffer, Layout layout, int source, int tag) {
    throw Capability.LAYOUTS.unsupported(name());
  }

  /**
   * Waits until a message that matches is there to be received, and leaves it there; needs {@link
   * Capability#PROBE}.
   */
  default Status probe(int source, int tag) {
    throw Capability.PROBE.unsupported(name());
  }

  /**
   * Looks, without waiting, for a message that matches; needs {@link Capability#PROBE}. A message
   * that was sent is found after finitely many calls.
   */
  default Optional<Status> iprobe(int source, int tag) {
    throw Capability.PROBE.unsupported(name());
  }

  /** Waits for a message that matches and takes it; needs {@link Capability#MATCHED_PROBE}. */
  default Message matchedProbe(int source, int tag) {
    throw Capability.MATCHED_PROBE.unsupported(name());
  }

  /** Looks for a message that matches and takes it; needs {@link Capability#MATCHED_PROBE}. */
  default Optional<Message> imatchedProbe(int source, int tag) {
    throw Capability.MATCHED_PROBE.unsupported(name());
  }

  /**
   * Waits until all requests are complete.
   *
   * @throws dev.rialto.spi.error.CommunicationException the first failure, in the order of the
   *     list, with the others suppressed in it; all are complete then
   */
  default void awaitAll(List<? extends Request> requests) {
    RuntimeException first = null;
    for (Request request : requests) {
      try {
        request.await();
      } catch (RuntimeException e) {
        if (first == null) {
          first = e;
        } else if (!e.equals(first)) {
          first.addSuppressed(e);
        }
      }
    }
    if (first != null) {
      throw first;
    }
  }

  /**
   * Waits until one of the requests is complete.
   *
   * @return the index of one that is; its {@link Request#await} returns at once
   * @throws IllegalArgumentException if the list is empty
   */
  default int awaitAny(List<? extends Request> requests) {
    if (requests.isEmpty()) {
      throw new IllegalArgumentException("awaitAny of no requests would never return; give one");
    }
    while (true) {
      for (int i = 0; i < requests.size(); i++) {
        if (requests.get(i).test()) {
          return i;
        }
      }
      Thread.yield();
    }
  }

  /**
   * A message that a matched probe took out of the queue: no other receive can get it, and it must
   * be received exactly once.
   */
  interface Message {
    /** Returns who sent it, its tag and its length. */
    Status status();

    /**
     * Receives it.
     *
     * @throws dev.rialto.spi.error.TruncationException if it is longer than {@code count} elements
     * @throws IllegalStateException if it was received before
     */
    Status receive(MemorySegment buffer, DType type, long count);
  }

  /** The modes of a send: when it is complete, and what it may rely on. */
  enum SendMode {
    /** Complete when the buffer may be reused; whether the receiver has begun is open. */
    STANDARD,
    /** Complete only once the receiver has begun to receive. */
    SYNCHRONOUS,
    /** As standard, but the caller promises that the receive is already posted. */
    READY
  }
}
