package dev.rialto.spi.device;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.MemorySegment;

/**
 * The operations of exchanges on a device's memory, as kernels that the backend has ready.
 *
 * <p>They read and write memory that the device reaches: its own, its {@link Device#staging}, and
 * that of devices it is a peer of. A kernel is prepared once, which may be slow, and run many
 * times. Thread-safe; a prepared kernel is used by one thread at a time.
 */
public interface ArrayKernels {
  /** A kernel with everything it needs besides the memories. */
  interface Prepared extends AutoCloseable {
    /**
     * Adds a run to a stream and returns at once. The memories hold what the kernel was prepared
     * for, starting at their addresses; their sizes are not looked at.
     */
    void run(MemorySegment from, MemorySegment to, Stream stream);

    /** Gives the kernel back, when the streams that run it have passed it. */
    @Override
    void close();
  }

  /**
   * Prepares moving the elements of one layout to those of another, in their order.
   *
   * @param add whether they are added to what is there: complex ones part by part, integers modulo
   *     their range, 16-bit floating-point numbers by way of 32 bits
   * @throws IllegalArgumentException if types or counts differ
   */
  Prepared move(Layout from, Layout to, boolean add);

  /**
   * Prepares multiplying elements in place: {@code to} is what is changed, {@code from} is not
   * looked at.
   *
   * @throws IllegalArgumentException if the elements are integers
   */
  Prepared scale(Layout layout, double factor);

  /**
   * Prepares converting {@code count} real numbers, without gaps, between F64, F32 and BF16;
   * rounding is to nearest, ties to even, by way of F32.
   */
  Prepared convert(DType from, DType to, long count);
}
