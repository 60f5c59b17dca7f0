package dev.rialto.spi.device;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Sparse matrices and vectors in a device's memory.
 *
 * <p>Elements are F32 or F64. Every call adds to a stream and returns at once; numbers that a
 * kernel sums up stay on the device too, as F64, so that a solver's loop needs no answer before it
 * goes on. Sums are in an order that depends on lengths only. Memories are not checked: callers
 * pass what the device reaches. Thread-safe.
 */
public interface SparseKernels {
  /** Some rows of a matrix, in the device's memory. */
  interface Rows extends AutoCloseable {
    /** Sets {@code y = a A x + b y} in these rows; with b 0, y is not read. */
    void multiply(double a, MemorySegment x, double b, MemorySegment y, Stream stream);

    /**
     * Sets {@code y = A x} in these rows, or adds it, and sums up.
     *
     * @param add whether the product is added to y, and sums to {@code sums}
     * @param sums two numbers: x·x of these rows, which {@code add} leaves as it is, and x·A x
     */
    void multiplyDots(
        MemorySegment x, MemorySegment y, boolean add, MemorySegment sums, Stream stream);

    /** Returns the bytes that a product reads of the matrix. */
    long bytes();

    /** Gives the memory back, when the streams that use it have passed. */
    @Override
    void close();
  }

  /** How rows lie in memory. */
  enum Storage {
    /** One after the other. */
    ROWS,
    /** In slices that as many threads as work in step read side by side, padded. */
    SLICES
  }

  /** What {@link #reduce} computes. */
  enum Sum {
    /** The product of two vectors. */
    DOT,
    /** The sum of absolute values of the first. */
    ABSOLUTE,
    /** The largest absolute value of the first; infinite if one is not a number. */
    LARGEST
  }

  /**
   * Brings rows to the device.
   *
   * @param starts where each row starts and where the last ends: I32, on the host
   * @param columns the column of each entry: I32, on the host
   * @param values the value of each entry, on the host
   * @param numbers which row of y each is; null if they are the first ones in order
   */
  Rows rows(
      DType type,
      Storage storage,
      MemorySegment starts,
      MemorySegment columns,
      MemorySegment values,
      int @Nullable [] numbers);

  /** Sets {@code z = a x + b y + c z}; what has a factor of 0 is not read. */
  void combine(
      DType type,
      long n,
      double a,
      MemorySegment x,
      double b,
      MemorySegment y,
      double c,
      MemorySegment z,
      Stream stream);

  /** Sets every element. */
  void fill(DType type, long n, double value, MemorySegment x, Stream stream);

  /** Sets {@code z = d x}, element by element. */
  void multiply(
      DType type, long n, MemorySegment d, MemorySegment x, MemorySegment z, Stream stream);

  /**
   * Reduces vectors to a number, taking every {@code stride}-th element.
   *
   * @param out one F64 that the device reaches
   */
  void reduce(
      Sum sum,
      DType type,
      long n,
      MemorySegment x,
      MemorySegment y,
      int stride,
      MemorySegment out,
      Stream stream);

  /** The F64 numbers of {@link #coefficients}, apart from the history behind them. */
  int STATE = 8;

  /** Where in the state the number of iterations done is, and why they ended. */
  int STATE_ITERATIONS = 4;

  /** 0 while it goes on, 1 at the limit, 2 if a number makes going on impossible. */
  int STATE_ENDED = 5;

  /**
   * Takes a step of conjugate gradients with a single reduction, as far as numbers go: from the
   * sums of {@link Rows#multiplyDots} over all ranks to the factors of {@link #step}. Once r·r is
   * at most the limit, the factors are such that further steps leave x and r as they are, so that
   * whoever watches may look later.
   *
   * @param state {@link #STATE} numbers, zero at the beginning, and behind them r·r of each
   *     iteration
   * @param limit r·r to reach
   */
  void coefficients(MemorySegment sums, MemorySegment state, double limit, Stream stream);

  /**
   * Sets {@code p = r + b p}, {@code s = w + b s}, {@code x += a p}, {@code r -= a s} in one pass,
   * with the factors of the state.
   */
  void step(
      DType type,
      long n,
      MemorySegment state,
      MemorySegment w,
      MemorySegment p,
      MemorySegment s,
      MemorySegment x,
      MemorySegment r,
      Stream stream);
}
