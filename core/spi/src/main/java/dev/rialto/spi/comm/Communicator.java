package dev.rialto.spi.comm;

import dev.rialto.spi.Capability;
import dev.rialto.spi.memory.MemorySpace;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.Set;

/**
 * A group of ranks that can talk to one another.
 *
 * <p><b>Ranks.</b> A rank is one of the parties, numbered from 0 to {@code size() - 1}. A message
 * sent on one communicator is never received on another, even of the same ranks.
 *
 * <p><b>Memory.</b> Buffers are {@link java.lang.foreign.MemorySegment}s that start at their offset
 * 0, with counts in elements of a type. They stay the caller's. A buffer given to a non-blocking
 * operation must not be written (or, for one being received into, read) until the operation
 * completed, and its arena stays open until then: closing it earlier is an exception at the next
 * call on the request where the backend can tell, and where a native library keeps the address, as
 * MPI's do, that library may by then have used freed memory. {@code -Drialto.checks=true} makes
 * messages go through memory of Rialto's own, so that nothing but the exception happens. Memory
 * under a window stays open until the window is closed. A count of 0 is allowed everywhere and then
 * the buffer may be {@link java.lang.foreign.MemorySegment#NULL}; the operation still takes place.
 * Host segments, native or on the heap where the backend says so, are accepted by backends that
 * move host memory.
 *
 * <p><b>Threads.</b> One thread of a rank at a time, unless {@link Capability#MULTI_THREADED} is
 * declared; collective operations of one communicator are begun in the same order on all its ranks
 * in any case.
 *
 * <p><b>Errors.</b> Arguments are checked before anything moves: {@link IllegalArgumentException},
 * or {@link IndexOutOfBoundsException} for a rank or a buffer that is too small, naming the value
 * and the limit. A closed communicator gives {@link IllegalStateException}. An operation whose
 * capability is not declared throws {@link UnsupportedOperationException}. When a peer has failed,
 * operations that need it, also those already waiting, end with {@link
 * dev.rialto.spi.error.PeerFailedException} instead of hanging. Where {@link
 * Capability#FAILURE_NOTICE} is not declared, the ranks' processes are ended instead, within
 * seconds.
 *
 * <p>The default methods of this interface and those it extends throw {@link
 * UnsupportedOperationException}: a backend overrides what it declares. Of collectives that is
 * {@link #start} and, where it has something better than to start and await, {@link #run}.
 */
public interface Communicator extends PointToPoint, Collectives, AutoCloseable {
  /** Returns a name for messages, such as {@code local/world} or {@code mpi/world/split 1}. */
  @Override
  String name();

  /** Returns this rank's number. */
  @Override
  int rank();

  /** Returns the number of ranks. */
  @Override
  int size();

  /** Returns what this communicator can do; the same on all ranks and for all it is split into. */
  @Override
  Set<Capability> capabilities();

  /**
   * Returns whether buffers may lie in a space; the same on all ranks. Where the host has no access
   * to it, a buffer is a segment of the right address and size that only this communicator looks
   * into.
   */
  default boolean reaches(MemorySpace space) {
    return space.properties().hostAccessible();
  }

  @Override
  default Request start(Collective collective) {
    Capability blocking =
        collective instanceof Collective.Reduction ? Capability.REDUCTIONS : Capability.COLLECTIVES;
    boolean declared = capabilities().contains(blocking);
    throw (declared ? Capability.NON_BLOCKING_COLLECTIVES : blocking).unsupported(name());
  }

  /**
   * Makes a topology in which this rank receives from {@code sources} and sends to {@code targets}.
   * Collective. The ranks' lists agree: each edge is named at both ends, as often at one as at the
   * other; a rank may be its own neighbour, be listed more than once, or have none. The arrays are
   * copied. Needs {@link Capability#NEIGHBORHOODS}.
   *
   * @throws IndexOutOfBoundsException if a rank does not exist
   * @throws dev.rialto.spi.error.MismatchException on all ranks, if the lists do not agree and the
   *     backend {@linkplain Capability#MISMATCH_DETECTION can tell}
   */
  default Topology topology(int[] sources, int[] targets) {
    throw Capability.NEIGHBORHOODS.unsupported(name());
  }

  /**
   * Opens {@code memory} to all ranks. Collective; each rank gives memory of its own, of any size
   * and also none. It stays the caller's and must live until the window is closed. Needs {@link
   * Capability#WINDOWS}.
   *
   * <p>Where a thread of Java carries accesses out, as for ranks that are threads or are linked by
   * messages, the memory must be open to all threads, and freeing it too early gives an exception:
   * to a rank that accesses it, at the end of its epoch at the latest, and to its owner at the next
   * {@link Window#fence} or {@link Window#post}. Where a library works with its address, as MPI
   * does, the memory must not be freed: the JVM cannot refuse it.
   *
   * @throws WrongThreadException if the memory is confined to a thread, where all must reach it
   */
  default Window window(MemorySegment memory) {
    throw Capability.WINDOWS.unsupported(name());
  }

  /** Allocates {@code bytes} zeroed bytes, aligned to 64, that live as long as the window. */
  default Window allocateWindow(long bytes) {
    throw Capability.WINDOWS.unsupported(name());
  }

  /**
   * Allocates as {@link #allocateWindow} does, in memory that all ranks see: {@link
   * Window#segmentOf} gives the others' parts. All ranks must share a node. Needs {@link
   * Capability#SHARED_WINDOWS}.
   */
  default Window sharedWindow(long bytes) {
    throw Capability.SHARED_WINDOWS.unsupported(name());
  }

  /**
   * Opens a window without memory, to which ranks {@link Window#attach} some at any time. Offsets
   * in it are addresses, as {@link MemorySegment#address} gives them at the target. Needs {@link
   * Capability#DYNAMIC_WINDOWS}.
   */
  default Window dynamicWindow() {
    throw Capability.DYNAMIC_WINDOWS.unsupported(name());
  }

  /**
   * Makes a communicator of the same ranks whose messages do not mix with this one's. Collective.
   */
  default Communicator dup() {
    throw Capability.SPLIT.unsupported(name());
  }

  /**
   * Divides the ranks: those that give the same color form a new communicator, ordered by key and,
   * for equal keys, by rank. Collective.
   *
   * @param color from 0 up, or {@link #NO_COLOR} to be in none
   * @param key where to stand in the new order
   * @return the new communicator; empty for {@link #NO_COLOR}
   * @throws IllegalArgumentException if the color is negative and not {@link #NO_COLOR}
   */
  default Optional<Communicator> split(int color, int key) {
    throw Capability.SPLIT.unsupported(name());
  }

  /** The color of a rank that is to be in none of the parts. */
  int NO_COLOR = -1;

  /**
   * Makes a communicator of the listed ranks, in the order given. Collective over all ranks of this
   * communicator, which all give the same list.
   *
   * @return the new communicator; empty on ranks that are not listed
   * @throws IndexOutOfBoundsException if a rank does not exist
   * @throws IllegalArgumentException if a rank is listed twice
   */
  default Optional<Communicator> subgroup(int... ranks) {
    Arguments.distinctRanks(ranks, size(), "subgroup");
    int place = -1;
    for (int i = 0; i < ranks.length; i++) {
      if (ranks[i] == rank()) {
        place = i;
      }
    }
    return split(place < 0 ? NO_COLOR : 0, place);
  }

  /** Makes a communicator of the ranks that share this rank's node, ordered by rank. Collective. */
  default Communicator splitByNode() {
    throw Capability.NODE_SPLIT.unsupported(name());
  }

  /**
   * Leaves something to be done with all ranks of this communicator that gives memory back: once
   * this rank's body has returned, or {@linkplain #settle before}. So a rank that is on its way out
   * after a failure does not wait for others that compute. If the world fails, each rank does it
   * for itself; what it throws is no failure then. Where the end of a body is not known, it is done
   * at once.
   */
  default void whenReturned(Runnable closing) {
    closing.run();
  }

  /** Does now what {@link #whenReturned} has left, in that order; all ranks of this do. */
  default void settle() {}

  /**
   * Ends the whole world: every operation of any rank that waits or is begun from now on fails with
   * {@link dev.rialto.spi.error.PeerFailedException} that gives the reason. Processes may be ended.
   */
  void abort(String reason);

  /**
   * Gives this communicator back; collective for those made by {@link #dup} and {@link #split}. The
   * world's own communicator belongs to the world and closing it does nothing. Closing again does
   * nothing.
   *
   * @throws IllegalStateException if requests, windows or topologies made from it are still open;
   *     it is closed all the same
   */
  @Override
  void close();
}
