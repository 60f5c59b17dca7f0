package dev.rialto.spi.device;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.MemorySegment;

/**
 * Products of matrices by kernels of a device's own, which are faster than those of a library
 * written for all. Thread-safe.
 */
public interface MatrixKernels {
  /**
   * Matrices in the device's memory.
   *
   * @param memory what they lie in
   * @param first the place of the first element, as all strides in elements
   * @param batch from matrix to matrix; 0 if it is one for all
   * @param row from row to row
   * @param column from column to column
   */
  record Matrices(MemorySegment memory, long first, long batch, long row, long column) {}

  /**
   * The products {@code c = a b}, summed up in 32 bits if the elements have 16, in any order.
   *
   * @param type of all elements
   * @param batches how many products
   * @param rows of c and a
   * @param columns of c and b
   * @param summed columns of a and rows of b
   * @param c what is written; it overlaps neither a nor b
   * @param a the first factor
   * @param b the second factor
   */
  record Product(
      DType type,
      long batches,
      long rows,
      long columns,
      long summed,
      Matrices c,
      Matrices a,
      Matrices b) {}

  /** Returns whether there is a kernel for a product. */
  boolean supports(Product product);

  /**
   * Adds a product to a stream.
   *
   * @throws UnsupportedOperationException if it is not {@linkplain #supports supported}
   */
  void multiply(Product product, Stream stream);
}
