package dev.rialto.exchange.kernel;

import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Devices;
import dev.rialto.runtime.Resource;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Memory of the runtime for the life of an arena, so that its reports and limits see what exchanges
 * hold.
 *
 * <p>Small buffers are slices of the host's pools; a long one is an allocation of its own, as it
 * would be of an arena.
 */
final class LentMemory {
  private static final String NAME = "exchange buffers";
  private static final long SLICE = 1 << 20;

  /** So that words on which ranks wait never share the pair of lines that a core fetches. */
  private static final long LEAST = 256;

  private LentMemory() {}

  /** Takes zeroed memory of the host, aligned to 64 bytes. */
  static MemorySegment ofHost(long bytes, Arena arena) {
    ComputeClient host = Devices.host();
    Resource lent =
        bytes <= SLICE ? host.hosted(NAME, Math.max(bytes, LEAST)) : host.lend(NAME, bytes);
    return lent.until(arena).asSlice(0, bytes).fill((byte) 0);
  }

  /** Takes memory of a device or, for code of the host too, its staging memory. */
  @SuppressWarnings("restricted")
  static MemorySegment of(
      ComputeClient client, long bytes, boolean forHost, Arena arena, Runnable onClose) {
    Resource lent = forHost ? client.lendStaging(NAME, bytes) : client.lend(NAME, bytes);
    MemorySegment memory = MemorySegment.ofAddress(lent.segment().address());
    return memory.reinterpret(
        bytes,
        arena,
        _ -> {
          onClose.run();
          lent.close();
        });
  }
}
