package dev.rialto.spi.memory;

import dev.rialto.spi.data.Layout;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.MemorySegment;

/**
 * Copies bytes within and between memory spaces.
 *
 * <p>Thread-safe. Segments stay the caller's and must live until the copy is complete: on return
 * for {@link #copy}, and for {@link #copyAsync} once the stream has passed it. Copies of zero bytes
 * do nothing, but their arguments are checked all the same.
 */
public interface MemoryTransfer {
  /** Returns whether this can copy from {@code source} to {@code target}. */
  boolean supports(MemorySpace source, MemorySpace target);

  /**
   * Copies {@code bytes} bytes. Overlapping memory is copied as if through a third place.
   *
   * @throws IllegalArgumentException if {@code bytes} is negative
   * @throws IndexOutOfBoundsException if it exceeds a segment that the host can access; nothing is
   *     copied then
   */
  void copy(MemorySegment source, MemorySegment target, long bytes);

  /**
   * Copies element by element from one layout to another. The layouts agree in type and count; the
   * memory they name must not overlap.
   *
   * @throws IllegalArgumentException if types or counts differ, or the elements overlap
   * @throws IndexOutOfBoundsException if a layout exceeds its segment; nothing is copied then
   */
  void copy(MemorySegment source, Layout from, MemorySegment target, Layout to);

  /**
   * Copies as {@link #copy(MemorySegment, MemorySegment, long)} does, in order with the stream's
   * other work. Arguments are checked before this returns; a later failure is raised when the
   * stream is synchronized.
   *
   * @throws IllegalArgumentException if the stream is of another backend
   */
  void copyAsync(MemorySegment source, MemorySegment target, long bytes, Stream stream);

  /** Copies as {@link #copy(MemorySegment, Layout, MemorySegment, Layout)} does, on a stream. */
  void copyAsync(MemorySegment source, Layout from, MemorySegment target, Layout to, Stream stream);
}
