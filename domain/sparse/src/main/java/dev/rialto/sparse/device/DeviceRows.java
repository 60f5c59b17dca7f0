package dev.rialto.sparse.device;

import dev.rialto.runtime.Buffer;
import dev.rialto.sparse.device.SparseKernels.Region;
import dev.rialto.sparse.local.Csr;
import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** Some rows of a matrix in the memory of a device, one after the other or in slices. */
public final class DeviceRows implements AutoCloseable {
  private final SparseKernels kernels;
  private final DType type;
  private final boolean sliced;
  private final boolean listed;
  private final long rows;
  private final long bytes;

  /** Starts, columns, values and numbers. */
  private final List<Buffer> arrays;

  /**
   * Brings rows to the device.
   *
   * @param sliced whether in slices, padded to the longest row of each
   */
  public DeviceRows(SparseKernels kernels, Csr entries, boolean sliced) {
    this.kernels = kernels;
    this.type = entries.type();
    this.sliced = sliced;
    int[] numbers = entries.rowIndex();
    this.listed = numbers != null;
    MemorySegment starts = MemorySegment.ofArray(entries.starts());
    MemorySegment columns = MemorySegment.ofArray(entries.columnIndex());
    MemorySegment list = MemorySegment.ofArray(numbers == null ? new int[0] : numbers);
    this.rows = entries.starts().length - 1L;
    try (Arena arena = Arena.ofShared()) {
      List<MemorySegment> parts = List.of(starts, columns, entries.values().memory(), list);
      if (sliced) {
        RowSlices slices =
            RowSlices.of(RowBodies.SLICE, type, starts, columns, entries.values().memory(), arena);
        parts = List.of(slices.starts(), slices.columns(), slices.values(), list);
      }
      this.bytes = parts.stream().mapToLong(MemorySegment::byteSize).sum();
      this.arrays = parts.stream().map(kernels.client()::create).toList();
    }
  }

  /** Returns the bytes that a product reads of the matrix. */
  public long bytes() {
    return bytes;
  }

  /** Returns a vector; how long x is follows from the columns, which are not searched for that. */
  private Region vector(long address, long count) {
    return Region.of(address, type, count);
  }

  /** Returns the items of whole blocks that have a row each. */
  private long inBlocks() {
    return (rows + SparseKernels.BLOCK - 1) / SparseKernels.BLOCK * SparseKernels.BLOCK;
  }

  /**
   * Sets {@code y = a A x + b y} in these rows, for several vectors whose elements of an index lie
   * side by side; with b 0, y is not read.
   */
  public void multiply(double a, long x, double b, long y, int width) {
    boolean together = width == 1 && !sliced;
    kernels.launch(
        type,
        List.of("product", sliced, listed, width),
        () ->
            sliced
                ? RowBodies.slices(listed, width)
                : together ? RowBodies.rows(listed) : RowBodies.wideRows(listed, width),
        together ? inBlocks() : rows * width,
        vector(y, rows * width),
        vector(x, 1),
        arrays.get(0),
        arrays.get(1),
        arrays.get(2),
        arrays.get(3),
        a,
        b);
  }

  /**
   * Sets {@code y = A x} in rows that are all there, and sums up x·A x.
   *
   * @param out where the sum goes
   */
  public void multiplyDot(long x, long y, DeviceNumbers.Parts out, int at) {
    int blocks = sliced ? kernels.summingBlocks(rows) : kernels.meetingBlocks(rows);
    DeviceNumbers sums = out.numbers();
    int parts = sums.parts();
    kernels.launch(
        type,
        List.of("product and dot", sliced),
        () -> sliced ? RowBodies.slicesDot() : RowBodies.rowsDot(),
        (long) blocks * SparseKernels.BLOCK,
        vector(y, rows),
        vector(x, 1),
        arrays.get(0),
        arrays.get(1),
        arrays.get(2),
        sums.all(),
        (long) parts);
    sums.sum(DeviceNumbers.Operation.SUM, out.place(at), parts, blocks);
  }

  /** Returns how many places of slices would be empty for each entry. */
  public static double padding(Csr rows) {
    int[] starts = rows.starts();
    long places = 0;
    for (int first = 0; first < rows.rows(); first += RowBodies.SLICE) {
      int width = 0;
      for (int row = first; row < Math.min(rows.rows(), first + RowBodies.SLICE); row++) {
        width = Math.max(width, starts[row + 1] - starts[row]);
      }
      places += (long) width * RowBodies.SLICE;
    }
    return rows.entries() == 0 ? 0 : (double) places / rows.entries() - 1;
  }

  @Override
  public void close() {
    arrays.forEach(Buffer::close);
  }
}
