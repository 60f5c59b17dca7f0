package dev.rialto.cuda;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.SparseKernels.RowSlices;
import dev.rialto.spi.device.SparseKernels.Rows;
import dev.rialto.spi.device.SparseKernels.Storage;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.memory.Allocation;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Rows of a matrix in a GPU's memory, one after the other or in slices of as many rows as a warp
 * has threads. Slices are made on the host.
 */
final class CudaRows implements Rows {
  /** Rows of a slice. */
  static final int SLICE = 32;

  /** Blocks that meet in shared memory leave gaps, which more of them fill. */
  private static final int ROW_WAVES = 8;

  private final CudaSparse kernels;
  private final String name;
  private final long rows;
  private final List<Allocation> arrays;

  /** Where starts, columns, values and numbers lie. */
  private final long[] addresses;

  private CudaRows(CudaSparse kernels, String name, long rows, List<Allocation> arrays) {
    this.kernels = kernels;
    this.name = name;
    this.rows = rows;
    this.arrays = arrays;
    this.addresses =
        arrays.stream()
            .mapToLong(array -> array.bytes() == 0 ? 0 : array.segment().address())
            .toArray();
  }

  static CudaRows of(
      CudaSparse kernels,
      DType type,
      Storage storage,
      MemorySegment starts,
      MemorySegment columns,
      MemorySegment values,
      int @Nullable [] numbers) {
    String suffix = CudaSparse.suffix(type);
    long rows = starts.byteSize() / Integer.BYTES - 1;
    MemorySegment listed = MemorySegment.ofArray(numbers == null ? new int[0] : numbers);
    if (storage == Storage.ROWS) {
      return upload(kernels, "rialto_rows" + suffix, rows, starts, columns, values, listed);
    }
    try (Arena arena = Arena.ofShared()) {
      RowSlices slices = RowSlices.of(SLICE, type, starts, columns, values, arena);
      return upload(
          kernels,
          "rialto_slices" + suffix,
          rows,
          slices.starts(),
          slices.columns(),
          slices.values(),
          listed);
    }
  }

  private static CudaRows upload(
      CudaSparse kernels, String name, long rows, MemorySegment... arrays) {
    CudaDevice device = kernels.device();
    List<Allocation> there = new java.util.ArrayList<>();
    try {
      for (MemorySegment array : arrays) {
        Allocation place = device.memory().allocate(array.byteSize());
        there.add(place);
        device.transfer().copy(array, place.segment(), array.byteSize());
      }
    } catch (RuntimeException | Error e) {
      there.forEach(Allocation::close);
      throw e;
    }
    return new CudaRows(kernels, name, rows, there);
  }

  private long[] arguments(double a, MemorySegment x, double b, MemorySegment y, long... more) {
    long[] all = {
      rows,
      addresses[0],
      addresses[1],
      addresses[2],
      addresses[3],
      Double.doubleToRawLongBits(a),
      x.address(),
      Double.doubleToRawLongBits(b),
      y.address()
    };
    long[] longer = java.util.Arrays.copyOf(all, all.length + more.length);
    System.arraycopy(more, 0, longer, all.length, more.length);
    return longer;
  }

  @Override
  public void multiply(double a, MemorySegment x, double b, MemorySegment y, Stream stream) {
    if (rows > 0) {
      int blocks = LoadedKernel.blocks(rows, CudaSparse.BLOCK);
      kernels.add(name, blocks, stream, arguments(a, x, b, y, 0));
    }
  }

  @Override
  public void multiplyDot(
      MemorySegment x, MemorySegment y, boolean add, MemorySegment out, Stream stream) {
    if (rows > 0 || !add) {
      kernels.addSumming(
          name,
          Math.max(1, kernels.summingBlocks(rows, name.startsWith("rialto_rows") ? ROW_WAVES : 1)),
          add ? 1 : 0,
          out.address(),
          stream,
          arguments(1, x, add ? 1 : 0, y));
    }
  }

  @Override
  public long bytes() {
    return arrays.stream().mapToLong(Allocation::bytes).sum();
  }

  @Override
  public void close() {
    arrays.forEach(
        array -> {
          if (array.isOpen()) {
            array.close();
          }
        });
  }
}
