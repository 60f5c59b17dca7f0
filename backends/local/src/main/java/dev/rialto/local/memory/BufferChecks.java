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
    long end = readable(buffer, type, counts, starts, blocks, role);
    if (end > 0) {
      Arguments.writable(buffer, role);
    }
    return end;
  }

  /** Returns the elements of as many blocks of {@code count}. */
  public static long blocks(DType type, long count, int blocks) {
    if (type.bytes(count) > Long.MAX_VALUE / Math.max(blocks, 1)) {
      throw new IllegalArgumentException(
          blocks + " blocks of " + count + " " + type + " exceed 2^63-1 bytes; give fewer");
    }
    return count * blocks;
  }

  /** Checks that what is read and what is written are different memory. */
  public static void disjoint(MemorySegment send, long sent, MemorySegment receive, long received) {
    if (overlap(send, sent, receive, received)) {
      throw new IllegalArgumentException(
          "send and receive overlap: %d bytes at %d and %d at %d; give separate memory"
              .formatted(sent, send.address(), received, receive.address()));
    }
  }

  /** Checks that what is read and what is written are different memory, or the very same. */
  public static void disjointOrSame(MemorySegment send, MemorySegment receive, long bytes) {
    if (overlap(send, bytes, receive, bytes) && send.address() != receive.address()) {
      throw new IllegalArgumentException(
          "send and receive overlap in part: %d bytes at %d and at %d; give the very same or separate memory"
              .formatted(bytes, send.address(), receive.address()));
    }
  }

  private static boolean overlap(MemorySegment a, long aBytes, MemorySegment b, long bBytes) {
    return aBytes > 0
        && bBytes > 0
        && a.isNative() == b.isNative()
        && a.address() < b.address() + bBytes
        && b.address() < a.address() + aBytes
        && (a.isNative() || a.heapBase().equals(b.heapBase()));
  }
}
