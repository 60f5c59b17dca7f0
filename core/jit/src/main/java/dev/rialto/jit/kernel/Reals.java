package dev.rialto.jit.kernel;

import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * An array of floating-point numbers that a kernel is given, of the type that {@link
 * JavaKernels#withElements} names: one method for F64, F32, F16 or BF16.
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
   * @throws IllegalArgumentException if the type is not one of floating-point numbers
   */
  public static Reals of(MemorySegment memory, DType type) {
    if (type.kind() != DType.Kind.FLOAT) {
      throw new IllegalArgumentException("Reals of type " + type + "; give F64, F32, F16 or BF16");
    }
    return new Reals(memory, type);
  }

  /** Returns how many elements there are. */
  public long length() {
    return memory.byteSize() / type.size();
  }

  /** Returns an element; {@link Checks} tell what becomes of an index that there is not. */
  public double get(long index) {
    return switch (type) {
      case F64 -> memory.getAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, index);
      case F16 -> F16.of(memory).get(index);
      case BF16 -> BF16.of(memory).get(index);
      default -> memory.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, index);
    };
  }

  /** Changes an element to a number, rounded to the type. */
  public void set(long index, double value) {
    switch (type) {
      case F64 -> memory.setAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, index, value);
      case F16 -> new Halves(I16.of(memory)).set(index, value);
      case BF16 -> new UpperHalves(I16.of(memory)).set(index, value);
      default -> memory.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, index, (float) value);
    }
  }

  /** The bits of the elements, which compiled kernels have in place of {@link Reals} of F16. */
  public record Halves(I16 bits) {
    /** Returns how many elements there are. */
    public long length() {
      return bits.length();
    }

    /** Returns an element. */
    public double get(long index) {
      return F16.number(bits.get(index));
    }

    /** Changes an element to a number, rounded once. */
    public void set(long index, double value) {
      bits.set(index, HalfPrecision.f16(value));
    }
  }

  /** The bits of the elements, which compiled kernels have in place of {@link Reals} of BF16. */
  public record UpperHalves(I16 bits) {
    /** Returns how many elements there are. */
    public long length() {
      return bits.length();
    }

    /** Returns an element. */
    public double get(long index) {
      return BF16.number(bits.get(index));
    }

    /** Changes an element to a number, rounded once. */
    public void set(long index, double value) {
      bits.set(index, HalfPrecision.bf16(value));
    }
  }
}
