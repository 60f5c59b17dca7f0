package dev.rialto.cpu.simd;

import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.vector.VectorApi;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Combines arrays element by element, as fast as this machine can.
 *
 * <p>Two implementations pass the same tests: the Vector API where the module {@code
 * jdk.incubator.vector} is present at run time, plain loops otherwise. {@code -Drialto.simd=scalar}
 * or {@code vector} forces one, {@code -Drialto.simd.bits=128} a vector width.
 *
 * <p>The loops run on addresses, not on the caller's segments. How a loop over segments is compiled
 * depends on the kinds of segment (native, {@code double[]}, {@code byte[]}, …) that anything in
 * the process has used: from the third kind on, each access is a virtual call, and the loop was
 * measured 50 times slower. So segments are checked once, at the call, and those on the Java heap
 * pass through a small native buffer that stays in the first-level cache. As with a call of native
 * code, memory that another thread frees during the call makes the outcome undefined.
 *
 * <p>Thread-safe; a call allocates nothing.
 */
public abstract sealed class Simd permits ScalarSimd, VectorSimd {
  private static final String MODULE = "jdk.incubator.vector";
  private static final int TILE = 8192;

  /** Three tiles for elements from the heap, kept per thread because arenas are costly to open. */
  private static final ThreadLocal<MemorySegment> TILES =
      ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(3L * TILE, 64));

  private static volatile @Nullable Simd chosen;

  private final String description;

  private final int vectorBytes;

  Simd(String description, int vectorBytes) {
    this.description = description;
    this.vectorBytes = vectorBytes;
  }

  /**
   * Returns the implementation for this process.
   *
   * @throws IllegalStateException if {@code rialto.simd} or {@code rialto.simd.bits} asks for what
   *     there is not
   */
  public static Simd get() {
    Simd simd = chosen;
    if (simd == null) {
      simd =
          choose(
              System.getProperty("rialto.simd"),
              Integer.getInteger("rialto.simd.bits", 0),
              VectorApi.isPresent());
      chosen = simd;
    }
    return simd;
  }

  /** Chooses an implementation; {@code bits} 0 means the widest. */
  static Simd choose(@Nullable String forced, int bits, boolean modulePresent) {
    String missing = "module " + MODULE + " is missing, start with --add-modules " + MODULE;
    return switch (forced == null ? "" : forced.toLowerCase(Locale.ROOT)) {
      case "scalar" -> new ScalarSimd("plain loops, as -Drialto.simd=scalar asks");
      case "vector" -> {
        if (!modulePresent) {
          throw new IllegalStateException("-Drialto.simd=vector, but " + missing);
        }
        yield VectorSimd.ofBits(bits);
      }
      case "" ->
          modulePresent
              ? VectorSimd.ofBits(bits)
              : new ScalarSimd("plain loops: " + missing + " for SIMD");
      default ->
          throw new IllegalStateException(
              "-Drialto.simd=" + forced + " is neither scalar nor vector");
    };
  }

  /** Returns the bits of a vector, or 0 where loops are plain. */
  public abstract int vectorBits();

  /** Returns what runs the loops, such as {@code Vector API, 512 bits}. */
  public final String describe() {
    return description;
  }

  /** Returns the bytes that one step of a loop takes; 8 for plain loops. */
  public final int vectorBytes() {
    return vectorBytes;
  }

  /**
   * Sets {@code target[i] = left[i] op right[i]} for each of {@code count} elements.
   *
   * <p>Offsets are bytes and need no alignment. The target may be the very memory of the left or
   * the right operand; any other overlap gives undefined elements. Integers wrap around; MIN and
   * MAX give NaN if either operand is one, and order -0 before +0. {@link ReduceOp#REPLACE} takes
   * the right element and {@link ReduceOp#NO_OP} the left.
   *
   * @throws IllegalArgumentException if the operator does not apply to the type, {@code count} is
   *     negative or the target is read-only
   * @throws IndexOutOfBoundsException if the elements exceed a segment
   * @throws IllegalStateException if a segment's arena is closed
   * @throws WrongThreadException if a segment is confined to another thread
   */
  public final void combine(
      ReduceOp.Builtin op,
      DType type,
      MemorySegment left,
      long leftOffset,
      MemorySegment right,
      long rightOffset,
      MemorySegment target,
      long targetOffset,
      long count) {
    Arguments.operator(op, type);
    Arguments.writable(target, "target");
    long bytes = type.bytes(count);
    check(left, leftOffset, bytes);
    check(right, rightOffset, bytes);
    check(target, targetOffset, bytes);
    try {
      if (left.isNative() && right.isNative() && target.isNative()) {
        run(
            op,
            type,
            left.address() + leftOffset,
            right.address() + rightOffset,
            target.address() + targetOffset,
            count);
      } else {
        combineThroughTiles(
            op, type, left, leftOffset, right, rightOffset, target, targetOffset, bytes);
      }
    } finally {
      Reference.reachabilityFence(left);
      Reference.reachabilityFence(right);
      Reference.reachabilityFence(target);
    }
  }

  private void combineThroughTiles(
      ReduceOp.Builtin op,
      DType type,
      MemorySegment left,
      long leftOffset,
      MemorySegment right,
      long rightOffset,
      MemorySegment target,
      long targetOffset,
      long bytes) {
    MemorySegment tiles = TILES.get();
    long first = tiles.address();
    for (long done = 0; done < bytes; done += TILE) {
      long part = Math.min(TILE, bytes - done);
      MemorySegment.copy(left, leftOffset + done, tiles, 0, part);
      MemorySegment.copy(right, rightOffset + done, tiles, TILE, part);
      run(op, type, first, first + TILE, first + 2L * TILE, part / type.size());
      MemorySegment.copy(tiles, 2L * TILE, target, targetOffset + done, part);
    }
  }

  private static void check(MemorySegment segment, long offset, long bytes) {
    Objects.checkFromIndexSize(offset, bytes, segment.byteSize());
    if (!segment.scope().isAlive()) {
      throw new IllegalStateException("the memory at " + segment.address() + " is closed");
    }
    if (!segment.isAccessibleBy(Thread.currentThread())) {
      throw new WrongThreadException("the memory is confined to another thread");
    }
  }

  /** Combines {@code count} elements at addresses that were checked. */
  abstract void run(
      ReduceOp.Builtin op, DType type, long left, long right, long target, long count);
}
