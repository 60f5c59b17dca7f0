package dev.rialto.jit.kernel;

import dev.rialto.jit.kernel.host.Lanes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * An array of {@code int} that a kernel is given: what a launch passes as a buffer. {@link Checks}
 * tell what becomes of an index that it does not have; in a {@link PlainRun} it throws.
 */
public final class I32 extends StridedArray<I32> {
  private I32(MemorySegment memory, Extents extents) {
    super(memory, extents, Integer.BYTES);
  }

  @Override
  I32 with(Extents axes) {
    return new I32(memory, axes);
  }

  /** Uses memory, on the heap or not, as an array. */
  public static I32 of(MemorySegment memory) {
    return new I32(memory, Extents.NONE);
  }

  /** Uses elements as they are, without a copy. */
  public static I32 of(int... elements) {
    return new I32(MemorySegment.ofArray(elements), Extents.NONE);
  }

  /** Returns an element of a tensor with two axes. */
  public int get(long i, long j) {
    return get(extents.place(i, j));
  }

  /** Returns an element of a tensor with three axes. */
  public int get(long i, long j, long k) {
    return get(extents.place(i, j, k));
  }

  /** Changes an element of a tensor with two axes. */
  public void set(long i, long j, int value) {
    set(extents.place(i, j), value);
  }

  /** Changes an element of a tensor with three axes. */
  public void set(long i, long j, long k, int value) {
    set(extents.place(i, j, k), value);
  }

  /** Returns an element of memory, whatever the axes. */
  public int get(long index) {
    return memory.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, index);
  }

  /** Changes an element of memory, whatever the axes. */
  public void set(long index, int value) {
    memory.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, index, value);
  }

  /**
   * Reads elements of memory that follow one another, as many as the array has: 2, 4, 8 or 16, and
   * at most 32 bytes. A GPU reads 16 bytes at once where they lie at a multiple of that.
   *
   * @throws IndexOutOfBoundsException if there are none; compiled kernels do not look
   */
  public void load(long index, int[] lanes) {
    Lanes.load(memory, index, MemorySegment.ofArray(lanes), Integer.BYTES);
  }

  /**
   * Changes elements of memory that follow one another to those of an array, as {@link #load} reads
   * them.
   *
   * @throws IndexOutOfBoundsException if there are none; compiled kernels do not look
   */
  public void store(long index, int[] lanes) {
    Lanes.store(memory, index, MemorySegment.ofArray(lanes), Integer.BYTES);
  }
}
