package dev.rialto.jit.kernel;

import dev.rialto.jit.kernel.host.Lanes;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * An array of integers that a kernel is given, of the type that {@link JavaKernels#withElements}
 * names: one method for I64, I32, I16 or I8.
 */
public final class Integers {
  private final MemorySegment memory;
  private final DType type;

  private Integers(MemorySegment memory, DType type) {
    this.memory = memory;
    this.type = type;
  }

  /**
   * Uses memory, on the heap or not, as an array.
   *
   * @throws IllegalArgumentException if the type is not I64, I32, I16 or I8
   */
  public static Integers of(MemorySegment memory, DType type) {
    return switch (type) {
      case I64, I32, I16, I8 -> new Integers(memory, type);
      default ->
          throw new IllegalArgumentException(
              "Integers of type " + type + "; give I64, I32, I16 or I8");
    };
  }

  /** Returns how many elements there are. */
  public long length() {
    return memory.byteSize() / type.size();
  }

  /** Returns an element; {@link Checks} tell what becomes of an index that there is not. */
  public long get(long index) {
    return switch (type) {
      case I64 -> memory.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, index);
      case I32 -> memory.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, index);
      case I16 -> memory.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, index);
      default -> memory.get(ValueLayout.JAVA_BYTE, index);
    };
  }

  /** Changes an element to a number, of which the type keeps the low bits. */
  public void set(long index, long value) {
    switch (type) {
      case I64 -> memory.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, index, value);
      case I32 -> memory.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, index, (int) value);
      case I16 -> memory.setAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, index, (short) value);
      default -> memory.set(ValueLayout.JAVA_BYTE, index, (byte) value);
    }
  }

  /**
   * Reads elements that follow one another, as many as the array has: 2, 4, 8 or 16, and at most 32
   * bytes of memory.
   *
   * @throws IndexOutOfBoundsException if there are none; compiled kernels do not look
   */
  public void load(long index, long[] lanes) {
    Lanes.require(lanes.length, type.size());
    for (int k = 0; k < lanes.length; k++) {
      lanes[k] = get(index + k);
    }
  }

  /**
   * Changes elements that follow one another to the numbers of an array, as {@link #set} does.
   *
   * @throws IndexOutOfBoundsException if there are none; compiled kernels do not look
   */
  public void store(long index, long[] lanes) {
    Lanes.require(lanes.length, type.size());
    for (int k = 0; k < lanes.length; k++) {
      set(index + k, lanes[k]);
    }
  }
}
