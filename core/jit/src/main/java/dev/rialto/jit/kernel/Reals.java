package dev.rialto.jit.kernel;

import dev.rialto.jit.kernel.host.Lanes;
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

  /**
   * Reads elements that follow one another, as many as the array has: 2, 4, 8 or 16, and at most 32
   * bytes of memory.
   *
   * @throws IndexOutOfBoundsException if there are none; compiled kernels do not look
   */
  public void load(long index, double[] lanes) {
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
  public void store(long index, double[] lanes) {
    Lanes.require(lanes.length, type.size());
    for (int k = 0; k < lanes.length; k++) {
      set(index + k, lanes[k]);
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

    /** Reads elements that follow one another. */
    public void load(long index, double[] lanes) {
      short[] all = new short[lanes.length];
      bits.load(index, all);
      for (int k = 0; k < lanes.length; k++) {
        lanes[k] = F16.number(all[k]);
      }
    }

    /** Changes elements that follow one another, each rounded once. */
    public void store(long index, double[] lanes) {
      short[] all = new short[lanes.length];
      for (int k = 0; k < lanes.length; k++) {
        all[k] = HalfPrecision.f16(lanes[k]);
      }
      bits.store(index, all);
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

    /** Reads elements that follow one another. */
    public void load(long index, double[] lanes) {
      short[] all = new short[lanes.length];
      bits.load(index, all);
      for (int k = 0; k < lanes.length; k++) {
        lanes[k] = BF16.number(all[k]);
      }
    }

    /** Changes elements that follow one another, each rounded once. */
    public void store(long index, double[] lanes) {
      short[] all = new short[lanes.length];
      for (int k = 0; k < lanes.length; k++) {
        all[k] = HalfPrecision.bf16(lanes[k]);
      }
      bits.store(index, all);
    }
  }
}
