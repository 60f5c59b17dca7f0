package dev.rialto.jit.kernel;

import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * An array of floating-point numbers that a kernel is given, of the type that {@link
 * JavaKernels#withElements} names: one method for F64 or F32.
 */
public final class Reals {
  private final MemorySegment memory;
  private final DType type;

  private Reals(MemorySegment memory, DType type) {
    this.memory = memory;
    this.type = type;
  }

  /**
   * Uses memory, on the heap or not, as an array.
   *
   * @throws IllegalArgumentException if the type is not F64 or F32
   */
  public static Reals of(MemorySegment memory, DType type) {
    if (type != DType.F64 && type != DType.F32) {
      throw new IllegalArgumentException("Reals of type " + type + "; give F64 or F32");
    }
    return new Reals(memory, type);
  }

  /** Returns how many elements there are. */
  public long length() {
    return memory.byteSize() / type.size();
  }

  /**
   * Returns an element.
   *
   * @throws IndexOutOfBoundsException if there is none; compiled kernels do not look
   */
  public double get(long index) {
    return switch (type) {
      case F64 -> memory.getAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, index);
      default -> memory.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, index);
    };
  }

  /**
   * Changes an element to a number, rounded to the type.
   *
   * @throws IndexOutOfBoundsException if there is none; compiled kernels do not look
   */
  public void set(long index, double value) {
    switch (type) {
      case F64 -> memory.setAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, index, value);
      default -> memory.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, index, (float) value);
    }
  }
}
