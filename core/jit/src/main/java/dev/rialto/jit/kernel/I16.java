package dev.rialto.jit.kernel;

import dev.rialto.jit.kernel.host.Lanes;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * An array of {@code short} that a kernel is given: what a launch passes as a buffer. {@link
 * Checks} tell what becomes of an index that it does not have; in a {@link PlainRun} it throws.
 */
public final class I16 extends StridedArray<I16> {
  private I16(MemorySegment memory, Extents extents) {
    super(memory, extents, Short.BYTES);
  }

  @Override
  I16 with(Extents axes) {
    return new I16(memory, axes);
  }

  /** Uses memory, on the heap or not, as an array. */
  public static I16 of(MemorySegment memory) {
    return new I16(memory, Extents.NONE);
  }

  /** Uses elements as they are, without a copy. */
  public static I16 of(short... elements) {
    return new I16(MemorySegment.ofArray(elements), Extents.NONE);
  }

  /** Returns an element of a tensor with two axes. */
  public short get(long i, long j) {
    return get(extents.place(i, j));
  }

  /** Returns an element of a tensor with three axes. */
  public short get(long i, long j, long k) {
    return get(extents.place(i, j, k));
  }

  /** Changes an element of a tensor with two axes. */
  public void set(long i, long j, short value) {
    set(extents.place(i, j), value);
  }

  /** Changes an element of a tensor with three axes. */
  public void set(long i, long j, long k, short value) {
    set(extents.place(i, j, k), value);
  }

  /** Returns an element of memory, whatever the axes. */
  public short get(long index) {
    return memory.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, index);
  }

  /** Changes an element of memory, whatever the axes. */
  public void set(long index, short value) {
    memory.setAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, index, value);
  }

  /**
   * Reads elements of memory that follow one another, as many as the array has: 2, 4, 8 or 16, and
   * at most 32 bytes. A GPU reads 16 bytes at once where they lie at a multiple of that.
   *
   * @throws IndexOutOfBoundsException if there are none; compiled kernels do not look
   */
  public void load(long index, short[] lanes) {
    Lanes.load(memory, index, MemorySegment.ofArray(lanes), Short.BYTES);
  }

  /**
   * Changes elements of memory that follow one another to those of an array, as {@link #load} reads
   * them.
   *
   * @throws IndexOutOfBoundsException if there are none; compiled kernels do not look
   */
  public void store(long index, short[] lanes) {
    Lanes.store(memory, index, MemorySegment.ofArray(lanes), Short.BYTES);
  }
}
