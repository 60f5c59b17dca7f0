package dev.rialto.tck.reference;

import static org.junit.jupiter.api.Assertions.fail;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.spi.parts.HostSpace;
import dev.rialto.text.Machine;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The buffers of one rank: patterns to send, blanks to receive into, and their comparison.
 *
 * <p>A pattern is a pure function of its key, so that any rank can make what any other rank sent
 * without talking to it. Memory comes from a confined arena, the least a backend must accept.
 */
public final class RankMemory implements AutoCloseable {
  private static final byte BLANK = 0x5A;
  private static final int ALIGNMENT = 64;

  /** Made when it is needed, which it seldom is. */
  private static final class Large {
    static final MemorySpace SPACE =
        new HostSpace(
            "tck-large",
            new MemorySpace.Properties(true, false, false, true, true, ALIGNMENT),
            Machine.current().memoryBytes(),
            "use a machine with more memory");
  }

  private final Arena arena = Arena.ofConfined();

  /** Mixes numbers that tell a pattern apart, such as a seed, a rank and a round, into a key. */
  public static long key(long... parts) {
    long key = 0x9E3779B97F4A7C15L;
    for (long part : parts) {
      key = mix(key + part);
    }
    return key;
  }

  /** Allocates bytes that a correct receive overwrites and a wrong one is seen in. */
  public MemorySegment blank(long bytes) {
    return arena.allocate(bytes, ALIGNMENT).fill(BLANK);
  }

  /** Allocates zeroed bytes. */
  public MemorySegment zeros(long bytes) {
    return arena.allocate(bytes, ALIGNMENT);
  }

  /**
   * Allocates zeroed bytes, as many as are wanted: only what is written takes memory, and none of
   * it of what the JVM allows itself. Pages of a file would be filled and then copied besides.
   */
  @SuppressWarnings("restricted")
  public MemorySegment untouched(long bytes) {
    Allocation room = Large.SPACE.allocate(bytes);
    return room.segment().reinterpret(arena, _ -> room.close());
  }

  /** Allocates room for elements, as {@link #blank(long)} does. */
  public MemorySegment blank(DType type, long count) {
    return blank(type.bytes(count));
  }

  /** Allocates bytes that depend on the key alone. */
  public MemorySegment pattern(long key, long bytes) {
    MemorySegment segment = arena.allocate(bytes, ALIGNMENT);
    write(key, segment);
    return segment;
  }

  /** Allocates elements whose bytes depend on the key alone. */
  public MemorySegment pattern(long key, DType type, long count) {
    return pattern(key, type.bytes(count));
  }

  /** Overwrites a segment with the pattern of a key. */
  public static void write(long key, MemorySegment segment) {
    long bytes = segment.byteSize();
    long whole = bytes & -8;
    for (long at = 0; at < whole; at += 8) {
      segment.set(ValueLayout.JAVA_LONG_UNALIGNED, at, mix(key + at));
    }
    long rest = mix(key + whole);
    for (long at = whole; at < bytes; at++, rest >>>= 8) {
      segment.set(ValueLayout.JAVA_BYTE, at, (byte) rest);
    }
  }

  /** Allocates 64-bit integers of the given values. */
  public MemorySegment longs(long... values) {
    return arena.allocateFrom(ValueLayout.JAVA_LONG, values);
  }

  /** Allocates bytes that every thread may use, as {@link #blank(long)} does. */
  public MemorySegment sharedBlank(long bytes) {
    return Arena.ofAuto().allocate(bytes, ALIGNMENT).fill(BLANK);
  }

  /** Allocates 64-bit integers of the given values that every thread may use. */
  public MemorySegment sharedLongs(long... values) {
    return Arena.ofAuto().allocateFrom(ValueLayout.JAVA_LONG, values);
  }

  /** Checks that two segments hold the same bytes. */
  public static void check(MemorySegment expected, MemorySegment actual, String what) {
    long at = expected.mismatch(actual);
    if (at >= 0) {
      fail(
          "%s: byte %s of %s is %s, wanted %s"
              .formatted(what, at, expected.byteSize(), byteAt(actual, at), byteAt(expected, at)));
    }
  }

  private static String byteAt(MemorySegment segment, long at) {
    return at < segment.byteSize()
        ? String.format("0x%02X", segment.get(ValueLayout.JAVA_BYTE, at))
        : "missing";
  }

  private static long mix(long z) {
    z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
    z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
    return z ^ (z >>> 31);
  }

  @Override
  public void close() {
    arena.close();
  }
}
