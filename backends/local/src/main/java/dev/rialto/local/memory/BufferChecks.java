package dev.rialto.local.memory;

import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;

/** The checks of buffers that collectives have in common. */
public final class BufferChecks {
  private BufferChecks() {}

  /**
   * Checks a buffer that is read.
   *
   * @return the bytes of the elements
   */
  public static long readable(MemorySegment buffer, DType type, long count, String role) {
    long bytes = Arguments.buffer(buffer, type, count, role);
    Memory.check(buffer, role);
    return bytes;
  }

  /**
   * Checks a buffer that is written.
   *
   * @return the bytes of the elements
   */
  public static long writable(MemorySegment buffer, DType type, long count, String role) {
    long bytes = readable(buffer, type, count, role);
    if (bytes > 0) {
      Arguments.writable(buffer, role);
    }
    return bytes;
  }

  /**
   * Checks a buffer of blocks that is read.
   *
   * @return the bytes up to the end of the last block
   */
  public static long readable(
      MemorySegment buffer, DType type, long[] counts, long[] starts, int blocks, String role) {
    Arguments.blocks(buffer, type, counts, starts, blocks, role);
    return end(buffer, type, counts, starts, blocks, role);
  }

  private static long end(
      MemorySegment buffer, DType type, long[] counts, long[] starts, int blocks, String role) {
    Memory.check(buffer, role);
    long end = 0;
    for (int i = 0; i < blocks; i++) {
      if (counts[i] > 0) {
        end = Math.max(end, type.bytes(starts[i] + counts[i]));
      }
    }
    return end;
  }

  /**
   * Checks a buffer of blocks that is written.
   *
   * @return the bytes up to the end of the last block
   */
  public static long writable(
      MemorySegment buffer, DType type, long[] counts, long[] starts, int blocks, String role) {
    Arguments.writtenBlocks(buffer, type, counts, starts, blocks, role);
    long end = end(buffer, type, counts, starts, blocks, role);
    if (end > 0) {
      Arguments.writable(buffer, role);
    }
    return end;
  }
}
