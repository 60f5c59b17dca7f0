package dev.rialto.fft;

import dev.rialto.array.Array;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The arrays that a plan is given, as memory: their own, or a copy of what each rank owns where a
 * halo lies around it. Copies are made in memory that is kept for the next time.
 */
final class Operands implements AutoCloseable {
  private final Arena arena = Arena.ofShared();
  private MemorySegment source = MemorySegment.NULL;
  private MemorySegment target = MemorySegment.NULL;

  /** Returns an array's elements, to be read. */
  MemorySegment read(Array array, Distribution distribution, DType type, String role) {
    check(array, distribution, type, role);
    if (isDense(array)) {
      return array.local();
    }
    source = atLeast(source, array);
    array.copyTo(source);
    return source;
  }

  /** Returns memory for an array's elements, to be written; {@link #store} ends it. */
  MemorySegment write(Array array, Distribution distribution, DType type, String role) {
    check(array, distribution, type, role);
    if (isDense(array)) {
      return array.local();
    }
    target = atLeast(target, array);
    return target;
  }

  /** Brings what was written to the array. */
  void store(Array array, MemorySegment written) {
    if (!isDense(array)) {
      array.copyFrom(written);
    }
  }

  private MemorySegment atLeast(MemorySegment memory, Array array) {
    long bytes = array.owned().bytes();
    return memory.byteSize() >= bytes ? memory : arena.allocate(bytes, 64);
  }

  /** Returns whether the elements that a rank owns are all that its memory has. */
  private static boolean isDense(Array array) {
    return array.localShape().count() == array.owned().count();
  }

  private static void check(Array array, Distribution distribution, DType type, String role) {
    if (array.type() != type || !array.distribution().equals(distribution)) {
      throw new IllegalArgumentException(
          "%s, divided as %s, for the %s of a plan for %s divided as %s; make one with the plan's new%s"
              .formatted(
                  array,
                  array.distribution(),
                  role.toLowerCase(java.util.Locale.ROOT),
                  type,
                  distribution,
                  role));
    }
  }

  @Override
  public void close() {
    arena.close();
  }
}
