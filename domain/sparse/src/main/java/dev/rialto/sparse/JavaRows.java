package dev.rialto.sparse;

import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.SparseKernels.RowSlices;
import dev.rialto.spi.device.SparseKernels.Rows;
import dev.rialto.spi.device.SparseKernels.Storage;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows of a matrix in the memory of a device, for kernels in Java. */
final class JavaRows implements Rows {
  private final JavaSparse kernels;
  private final DType type;
  private final boolean sliced;
  private final boolean listed;
  private final long rows;

  /** Starts, columns, values and numbers. */
  private final List<Buffer> arrays;

  private JavaRows(
      JavaSparse kernels,
      DType type,
      boolean sliced,
      boolean listed,
      long rows,
      List<Buffer> arrays) {
    this.kernels = kernels;
    this.type = type;
    this.sliced = sliced;
    this.listed = listed;
    this.rows = rows;
    this.arrays = arrays;
  }

  static JavaRows of(
      JavaSparse kernels,
      DType type,
      Storage storage,
      MemorySegment starts,
      MemorySegment columns,
      MemorySegment values,
      int @Nullable [] numbers) {
    ComputeClient client = kernels.client();
    long rows = starts.byteSize() / Integer.BYTES - 1;
    MemorySegment listed = MemorySegment.ofArray(numbers == null ? new int[0] : numbers);
    boolean sliced = storage == Storage.SLICES;
    try (Arena arena = Arena.ofShared()) {
      List<MemorySegment> parts = List.of(starts, columns, values, listed);
      if (sliced) {
        RowSlices slices = RowSlices.of(SparseBodies.SLICE, type, starts, columns, values, arena);
        parts = List.of(slices.starts(), slices.columns(), slices.values(), listed);
      }
      List<Buffer> there = parts.stream().map(client::create).toList();
      return new JavaRows(kernels, type, sliced, numbers != null, rows, there);
    }
  }

  private Buffer vector(MemorySegment memory) {
    // How long it is follows from the columns, which nobody looks through for this.
    return kernels.at(memory, type.size());
  }

  @Override
  public void multiply(double a, MemorySegment x, double b, MemorySegment y, Stream stream) {
    kernels.require(stream);
    try (Buffer to = vector(y);
        Buffer from = vector(x)) {
      JavaKernel kernel =
          kernels.kernel(
              type,
              () -> sliced ? SparseBodies.slices(listed) : SparseBodies.rows(listed),
              "rows",
              sliced,
              listed);
      kernel.launch(
          rows, to, from, arrays.get(0), arrays.get(1), arrays.get(2), arrays.get(3), a, b);
    }
  }

  /** Sets {@code y = a A x + b y} for several vectors, the elements of an index side by side. */
  void multiply(double a, MemorySegment x, double b, MemorySegment y, int width, Stream stream) {
    kernels.require(stream);
    try (Buffer to = vector(y);
        Buffer from = vector(x)) {
      JavaKernel kernel =
          kernels.kernel(
              type,
              () ->
                  sliced
                      ? SparseBodies.wideSlices(listed, width)
                      : SparseBodies.wideRows(listed, width),
              "wide",
              sliced,
              listed,
              width);
      kernel.launch(
          rows * width, to, from, arrays.get(0), arrays.get(1), arrays.get(2), arrays.get(3), a, b);
    }
  }

  @Override
  public void multiplyDot(
      MemorySegment x, MemorySegment y, boolean add, MemorySegment out, Stream stream) {
    kernels.require(stream);
    long items = rows == 0 ? 0 : JavaSparse.items(rows);
    try (Buffer to = vector(y);
        Buffer from = vector(x)) {
      JavaKernel kernel =
          kernels.kernel(
              type,
              () ->
                  sliced ? SparseBodies.slicesDot(listed, add) : SparseBodies.rowsDot(listed, add),
              "rowsDot",
              sliced,
              listed,
              add);
      kernel.launch(
          items,
          to,
          from,
          arrays.get(0),
          arrays.get(1),
          arrays.get(2),
          arrays.get(3),
          kernels.partial(),
          rows);
    }
    kernels.finish(items, false, add, out);
  }

  @Override
  public long bytes() {
    return arrays.stream().mapToLong(Buffer::bytes).sum();
  }

  @Override
  public void close() {
    arrays.forEach(Buffer::close);
  }
}
