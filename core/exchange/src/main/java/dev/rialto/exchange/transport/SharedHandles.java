package dev.rialto.exchange.transport;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.rialto.spi.comm.Window;
import dev.rialto.spi.device.Device.MemorySharing;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/**
 * The memory of a device that ranks of other processes map: a table per rank, in memory that all
 * ranks of the node read, of handles to what the rank has ever offered. A place is the number of a
 * handle and an offset. Handles stay until this is closed, so a rank can offer arrays of {@value
 * #MOST} allocations; beyond that it packs.
 */
final class SharedHandles implements AutoCloseable {
  static final int MOST = 256;

  private static final int OFFSET_BITS = 48;

  private final MemorySharing sharing;
  private final Window table;
  private final byte[][] offered = new byte[MOST][];
  private int count;
  private final Map<Long, MemorySharing.Mapped> mapped = new HashMap<>();

  SharedHandles(MemorySharing sharing, Window table) {
    this.sharing = sharing;
    this.table = table;
  }

  static long bytes() {
    return (long) MOST * MemorySharing.HANDLE_BYTES;
  }

  /** Returns the place of memory for other ranks; -1 if there is no room for its handle. */
  long place(MemorySegment memory) {
    MemorySharing.Shared shared = sharing.share(memory);
    int number = 0;
    while (number < count && !Arrays.equals(offered[number], shared.handle())) {
      number++;
    }
    if (number == MOST) {
      return -1;
    }
    if (number == count) {
      offered[count++] = shared.handle();
      MemorySegment.copy(
          shared.handle(),
          0,
          table.memory(),
          JAVA_BYTE,
          (long) number * MemorySharing.HANDLE_BYTES,
          MemorySharing.HANDLE_BYTES);
    }
    return (long) number << OFFSET_BITS | shared.offset();
  }

  MemorySegment resolve(int rank, long place) {
    long number = place >>> OFFSET_BITS;
    MemorySharing.Mapped start =
        mapped.computeIfAbsent(
            rank * (long) MOST + number,
            _ -> {
              byte[] handle = new byte[MemorySharing.HANDLE_BYTES];
              long at = number * MemorySharing.HANDLE_BYTES;
              MemorySegment.copy(table.segmentOf(rank), JAVA_BYTE, at, handle, 0, handle.length);
              return sharing.map(handle);
            });
    long offset = place & (1L << OFFSET_BITS) - 1;
    return MemorySegment.ofAddress(start.segment().address() + offset);
  }

  @Override
  public void close() {
    mapped.values().forEach(MemorySharing.Mapped::close);
    mapped.clear();
    table.close();
  }
}
