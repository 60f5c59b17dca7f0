package dev.rialto.exchange.kernel;

import dev.rialto.exchange.codec.Codec;
import dev.rialto.exchange.plan.Region;
import dev.rialto.exchange.transport.DevicePeers;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device.MemorySharing;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;

/**
 * The operations of an exchange on memory: everything it needs of a host or a device.
 *
 * <p>Packing, unpacking and moving straight from one array to another are the same operation
 * between different regions, so there is one. Kernels are prepared once, when an exchange is bound,
 * and run many times; preparing may be slow.
 */
public interface ExchangeKernels {
  /** The only tile size of kernels that have no choice. */
  String UNTILED = "-";

  /** Returns the sizes of tiles, for transposing, that can be chosen; the usual one first. */
  default List<String> tiles() {
    return List.of(UNTILED);
  }

  /**
   * Returns these kernels with tiles of another size.
   *
   * @throws IllegalArgumentException if it is not one of {@link #tiles}
   */
  default ExchangeKernels withTile(String size) {
    if (!size.equals(UNTILED)) {
      throw new IllegalArgumentException("tiles of " + size + " for kernels that have none");
    }
    return this;
  }

  /**
   * Prepares moving the elements of one region to those of another, in their order.
   *
   * @param add whether they are added to what is there, instead of replacing it
   * @throws IllegalArgumentException if the regions differ in their number of elements
   */
  Kernel move(DType type, Region from, Region to, boolean add);

  /** Prepares multiplying the elements of a region, in place: the source is not looked at. */
  Kernel scale(DType type, Region region, double factor);

  /**
   * Checks that an array can be used by these kernels.
   *
   * @param bytes how many bytes it must have
   * @param role what it is, for messages
   * @throws IndexOutOfBoundsException if it is too small
   * @throws IllegalArgumentException if it is memory of another kind, or has to be written and is
   *     read-only
   * @throws IllegalStateException if it was freed
   * @throws WrongThreadException if it is confined to another thread
   */
  void check(MemorySegment memory, long bytes, boolean written, String role);

  /**
   * Waits until the kernels run so far have ended. Called before memory is handed to a
   * communicator; does nothing where kernels run at once.
   */
  void finish();

  /** Returns whether code of the host reads and writes the arrays. */
  default boolean onHost() {
    return true;
  }

  /** Returns whether a communicator takes the arrays as buffers. */
  default boolean usableBy(Communicator comm) {
    return true;
  }

  /** Returns whether these kernels read and write a buffer of a channel's. */
  default boolean reaches(MemorySegment buffer) {
    return true;
  }

  /** Returns a part of an array, for a communicator. */
  default MemorySegment part(MemorySegment memory, long offset, long bytes) {
    return memory.asSlice(offset, bytes);
  }

  /**
   * Allocates zeroed memory that these kernels reach and that lives as long as an arena.
   *
   * @param forHost whether code of the host uses it, too
   */
  default MemorySegment allocate(long bytes, boolean forHost, Arena arena) {
    return LentMemory.ofHost(bytes, arena);
  }

  /** Allocates a zeroed array, such as exchanges take and give, that lives as long as an arena. */
  default MemorySegment array(long bytes, Arena arena) {
    return allocate(bytes, false, arena);
  }

  /** Returns what lets other processes use the arrays, where host memory does not. */
  default Optional<MemorySharing> sharing() {
    return Optional.empty();
  }

  /** Returns the devices of a communicator's ranks. */
  default DevicePeers peers(Communicator comm) {
    return DevicePeers.none(comm);
  }

  /** Returns a codec as it is used on the arrays. */
  default Codec codec(Codec chosen) {
    return chosen;
  }

  /** A prepared operation. Used by one thread at a time. */
  @FunctionalInterface
  interface Kernel {
    /**
     * Runs, or begins to run until {@link #finish}. The memories hold the regions, are alive and do
     * not overlap where the regions do; the caller has checked that.
     */
    void run(MemorySegment from, MemorySegment to);

    /**
     * Returns whether it works on addresses, so that its caller has to keep the memory of the host
     * from being freed meanwhile. Other kernels leave that to the JDK's own copy, which refuses
     * memory that is freed and has another thread that closes its arena wait.
     */
    default boolean byAddress() {
      return true;
    }
  }
}
