package dev.rialto.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.data.DType;
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
      Slices slices = Slices.of(type, rows, starts, columns, values, arena);
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

  /**
   * Rows in slices, each padded to its longest row.
   *
   * @param starts I64: where each slice starts, and where the last ends
   * @param columns I32: those of a slice's first entries, then of its second ones; -1 for padding
   * @param values in the same order; zeros for padding
   */
  record Slices(MemorySegment starts, MemorySegment columns, MemorySegment values) {
    static Slices of(
        DType type,
        long rows,
        MemorySegment starts,
        MemorySegment columns,
        MemorySegment values,
        Arena arena) {
      long slices = (rows + SLICE - 1) / SLICE;
      MemorySegment places = arena.allocate(JAVA_LONG, slices + 1);
      for (long slice = 0; slice < slices; slice++) {
        int width = 0;
        for (long row = slice * SLICE; row < Math.min(rows, (slice + 1) * SLICE); row++) {
          width = Math.max(width, length(starts, row));
        }
        places.setAtIndex(
            JAVA_LONG, slice + 1, places.getAtIndex(JAVA_LONG, slice) + (long) width * SLICE);
      }
      long total = places.getAtIndex(JAVA_LONG, slices);
      MemorySegment padded = arena.allocate(JAVA_INT, total).fill((byte) -1);
      MemorySegment numbers = arena.allocate(total * type.size(), 8);
      int size = type.size();
      for (long row = 0; row < rows; row++) {
        long place = places.getAtIndex(JAVA_LONG, row / SLICE) + row % SLICE;
        int first = starts.getAtIndex(JAVA_INT, row);
        for (int k = 0; k < length(starts, row); k++, place += SLICE) {
          padded.setAtIndex(JAVA_INT, place, columns.getAtIndex(JAVA_INT, first + k));
          MemorySegment.copy(values, (long) (first + k) * size, numbers, place * size, size);
        }
      }
      return new Slices(places, padded, numbers);
    }

    private static int length(MemorySegment starts, long row) {
      return starts.getAtIndex(JAVA_INT, row + 1) - starts.getAtIndex(JAVA_INT, row);
    }
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
