package dev.rialto.spi.device;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
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
     * @param add whether the product is added to y, and the sum to {@code out}
     * @param out one F64: x·A x of these rows
     */
    void multiplyDot(
        MemorySegment x, MemorySegment y, boolean add, MemorySegment out, Stream stream);

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

  /**
   * A factor that the caller knows, or one that is computed on the device.
   *
   * @param value the factor, or what the number is multiplied by
   * @param number one F64 of the device; {@link MemorySegment#NULL} if the value is all
   */
  record Factor(double value, MemorySegment number) {
    /** Makes a factor that the caller knows. */
    public static Factor of(double value) {
      return new Factor(value, MemorySegment.NULL);
    }

    /** Returns whether the caller knows it. */
    public boolean isKnown() {
      return number.address() == 0;
    }
  }

  /**
   * Sets {@code z = a x + b y + c z}; what has a factor of 0 is not read.
   *
   * @param numbers those of {@link #compute}: once they have ended, nothing is written; {@link
   *     MemorySegment#NULL} for none
   */
  void combine(
      DType type,
      long n,
      Factor a,
      MemorySegment x,
      Factor b,
      MemorySegment y,
      Factor c,
      MemorySegment z,
      MemorySegment numbers,
      Stream stream);

  /**
   * Sets {@code r -= a q} and sums up r·r in one pass.
   *
   * @param out one F64; of no meaning once the numbers have ended
   * @param numbers see {@link #combine}
   */
  void subtractDot(
      DType type,
      long n,
      Factor a,
      MemorySegment q,
      MemorySegment r,
      MemorySegment out,
      MemorySegment numbers,
      Stream stream);

  /**
   * Sets {@code x += a p} and then {@code p = z + b p}, in one pass.
   *
   * @param numbers see {@link #combine}
   */
  void nextDirection(
      DType type,
      long n,
      Factor a,
      MemorySegment x,
      MemorySegment z,
      Factor b,
      MemorySegment p,
      MemorySegment numbers,
      Stream stream);

  /**
   * Sets {@code p = z + b p}, {@code s = w + b s}, {@code x += a p}, {@code r -= a s}, and sums up
   * r·r, in one pass; z may be r.
   *
   * @param out one F64; of no meaning once the numbers have ended
   * @param numbers see {@link #combine}
   */
  void pipelinedStep(
      DType type,
      long n,
      Factor a,
      Factor b,
      MemorySegment z,
      MemorySegment w,
      MemorySegment p,
      MemorySegment s,
      MemorySegment x,
      MemorySegment r,
      MemorySegment out,
      MemorySegment numbers,
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

  /** Which number says how numbers ended; 0 while they have not. */
  int ENDED = 0;

  /** Which number counts what was appended. */
  int APPENDED = 1;

  /** The first of the {@link #KEPT} numbers that were appended last, in turns. */
  int HISTORY = 2;

  /** How many of the numbers that were appended are kept. */
  int KEPT = 32;

  /** The first number that is free for any use. */
  int FREE = HISTORY + KEPT;

  /** What a step does with the numbers {@code left} and {@code right}. */
  enum Operation {
    /** Sets {@code to} to left. */
    COPY,
    /** Sets {@code to} to left - right. */
    SUBTRACT,
    /** Sets {@code to} to left × right. */
    MULTIPLY,
    /** Sets {@code to} to left / right. */
    DIVIDE,
    /** Sets {@code to} to the square root of left. */
    ROOT,
    /** Appends left to the history. */
    APPEND,
    /** Ends with {@code to} if left is right. */
    END_IF_EQUAL,
    /** Ends with {@code to} if left is less than right. */
    END_IF_LESS,
    /** Ends with {@code to} if left is at most right. */
    END_IF_AT_MOST,
    /** Ends with {@code to} unless left is finite. */
    END_UNLESS_FINITE
  }

  /**
   * One operation with numbers, which are given by their places.
   *
   * @param to the place of the result; for those that end, how
   */
  record Step(Operation operation, int to, int left, int right) {}

  /**
   * Computes with a few numbers of the device. Once they have ended, no number changes, here or in
   * later calls, and no vector that is given them: a solver's loop may go on until the host has
   * looked, and leaves all as it was when it ended.
   *
   * @param numbers F64: the first {@link #FREE} are as above, and zero at the beginning
   */
  void compute(MemorySegment numbers, List<Step> steps, Stream stream);

  /**
   * Rows of a sparse matrix in slices, each padded to its longest row: as many rows as threads work
   * in step, whose entries lie side by side.
   *
   * @param starts I64: where each slice starts, and where the last ends
   * @param columns I32: those of a slice's first entries, then of its second ones; -1 for padding
   * @param values in the same order; zeros for padding
   */
  record RowSlices(MemorySegment starts, MemorySegment columns, MemorySegment values) {
    /**
     * Makes slices of rows that lie one after the other.
     *
     * @param height the rows of a slice
     * @param starts I32: where each row starts, and where the last ends
     * @param columns I32
     * @param arena where the slices live
     */
    public static RowSlices of(
        int height,
        DType type,
        MemorySegment starts,
        MemorySegment columns,
        MemorySegment values,
        Arena arena) {
      long rows = starts.byteSize() / Integer.BYTES - 1;
      long slices = (rows + height - 1) / height;
      MemorySegment places = arena.allocate(JAVA_LONG, slices + 1);
      for (long slice = 0; slice < slices; slice++) {
        int width = 0;
        for (long row = slice * height; row < Math.min(rows, (slice + 1) * height); row++) {
          width = Math.max(width, length(starts, row));
        }
        places.setAtIndex(
            JAVA_LONG, slice + 1, places.getAtIndex(JAVA_LONG, slice) + (long) width * height);
      }
      long total = places.getAtIndex(JAVA_LONG, slices);
      MemorySegment padded = arena.allocate(JAVA_INT, total).fill((byte) -1);
      MemorySegment numbers = arena.allocate(total * type.size(), 8);
      int size = type.size();
      for (long row = 0; row < rows; row++) {
        long place = places.getAtIndex(JAVA_LONG, row / height) + row % height;
        int first = starts.getAtIndex(JAVA_INT, row);
        for (int k = 0; k < length(starts, row); k++, place += height) {
          padded.setAtIndex(JAVA_INT, place, columns.getAtIndex(JAVA_INT, first + k));
          MemorySegment.copy(values, (long) (first + k) * size, numbers, place * size, size);
        }
      }
      return new RowSlices(places, padded, numbers);
    }

    private static int length(MemorySegment starts, long row) {
      return starts.getAtIndex(JAVA_INT, row + 1) - starts.getAtIndex(JAVA_INT, row);
    }
  }
}
