package dev.rialto.sparse;

import dev.rialto.exchange.Exchange;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The elements that a product reads of other ranks, on their way to memory that is kept for them.
 * One of a map, type and width is under way at a time.
 */
final class HaloUpdate {
  private final HaloMemory halos;
  private final HaloMemory.Kind kind;
  private final MemorySegment memory;
  private final @Nullable Exchange exchange;
  private final boolean inStream;

  private HaloUpdate(
      HaloMemory halos, HaloMemory.Kind kind, @Nullable Exchange exchange, boolean inStream) {
    this.halos = halos;
    this.kind = kind;
    this.memory = halos.take(kind);
    this.exchange = exchange;
    this.inStream = inStream;
  }

  /**
   * Begins to bring elements. Collective.
   *
   * @param home the device that they are on; null if that is the host
   * @param elements those that this rank owns
   */
  static HaloUpdate start(
      IndexMap map, @Nullable SparseDevice home, DType type, int width, MemorySegment elements) {
    HaloMemory halos = home == null ? map.arrays().halos() : home.halos();
    boolean alone = map.comm().size() == 1;
    HaloUpdate made =
        new HaloUpdate(
            halos,
            new HaloMemory.Kind(map, type, width),
            alone ? null : map.haloExchange(home, type, width),
            home != null);
    if (made.exchange != null) {
      made.exchange.start(elements, made.memory);
    }
    return made;
  }

  /** Returns memory with room for all local indices, of which an exchange fills the halo. */
  MemorySegment memory() {
    return memory;
  }

  /** Waits, and returns the address at which local index 0 would be. */
  long await() {
    if (exchange != null && inStream) {
      exchange.awaitInStream();
    } else if (exchange != null) {
      exchange.await();
    }
    return memory.address();
  }

  /** Gives the memory back; not after a failure, since messages may still use it. */
  void end() {
    halos.giveBack(kind, memory);
  }
}
