package dev.rialto.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.util.Objects.requireNonNull;

import dev.rialto.cuda.driver.DriverMemory;
import dev.rialto.spi.copy.BoxPair;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.parts.DeviceLayout;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Copies elements between layouts in memory that a GPU can access.
 *
 * <p>Boxes of rows between a GPU and the host go to the driver's copy of boxes, which the bus and
 * the copy engines do by themselves, and within a GPU to {@link RowsKernel}; transposes go to
 * {@link TransposeKernel}. Everything else is a kernel with a thread per element, which finds its
 * place on either side by division or in a list. Elements at addresses that are not multiples of
 * their size are moved in the largest parts that are.
 */
final class LayoutKernel {
  /** The bytes of a {@code CUDA_MEMCPY3D}. */
  static final long BOX = 200;

  private static final int BLOCK = LoadedKernel.BLOCK;

  /** The text of a {@link DeviceLayout}, for every kernel that takes layouts. */
  static final String SIDES =
      """
      struct Side {
        long long offset;
        const long long *list;
        long long block;
        long long axes;
        long long extent[8];
        long long stride[8];
      };

      static __device__ __forceinline__ long long place(const Side &side, long long i) {
        if (side.list) return (side.list[i / side.block] + i % side.block) * side.stride[0];
        long long at = side.offset;
        for (int axis = (int)side.axes - 1; axis > 0; axis--) {
          at += i % side.extent[axis] * side.stride[axis];
          i /= side.extent[axis];
        }
        return at + i * side.stride[0];
      }

      """;

  static final String SOURCE =
      SIDES
          + """
          template <typename Part>
          static __device__ __forceinline__ void copy(
              const char *source, const Side &from, char *target, const Side &to,
              long long count, long long parts) {
            long long threads = (long long)gridDim.x * blockDim.x;
            for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count * parts;
                 i += threads) {
              long long element = i / parts, part = i % parts * sizeof(Part);
              *(Part *)(target + place(to, element) + part) =
                  *(const Part *)(source + place(from, element) + part);
            }
          }

          extern "C" __global__ void rialto_copy(
              const char *source, Side from, char *target, Side to,
              long long count, long long parts, long long size) {
            switch (size) {
              case 1: copy<char>(source, from, target, to, count, parts); break;
              case 2: copy<short>(source, from, target, to, count, parts); break;
              case 4: copy<int>(source, from, target, to, count, parts); break;
              case 8: copy<long long>(source, from, target, to, count, parts); break;
              default: copy<double2>(source, from, target, to, count, parts); break;
            }
          }
          """;

  private final Lazy copies;
  private final Map<Integer, Lazy> transposes = new HashMap<>();
  private final Map<Integer, Lazy> rows = new HashMap<>();

  LayoutKernel(CudaCompiler compiler) {
    this.copies = new Lazy(() -> compiler.load("rialto_copy", SOURCE, false));
    for (int size = 1; size <= 16; size *= 2) {
      int bytes = size;
      transposes.put(
          size,
          new Lazy(
              () -> compiler.load(TransposeKernel.NAME, TransposeKernel.source(bytes), false)));
      rows.put(
          size, new Lazy(() -> compiler.load(RowsKernel.NAME, RowsKernel.source(bytes), false)));
    }
  }

  /** A kernel that is compiled when it is first needed, and stays. */
  private static final class Lazy {
    private final Supplier<LoadedKernel> load;
    private @Nullable LoadedKernel kernel;

    Lazy(Supplier<LoadedKernel> load) {
      this.load = load;
    }

    synchronized LoadedKernel get() {
      LoadedKernel loaded = kernel;
      if (loaded == null) {
        loaded = load.get();
        kernel = loaded;
      }
      return loaded;
    }
  }

  /**
   * Adds a copy to a driver's stream.
   *
   * @param fromList where the indices of {@code from} lie if it is a list, for the GPU; or 0
   * @param toList the same for {@code to}
   * @param within whether both lie in a GPU's memory
   */
  void copy(
      long source,
      Layout from,
      long fromList,
      long target,
      Layout to,
      long toList,
      boolean within,
      long stream) {
    if (from.count() == 0) {
      return;
    }
    int size = from.type().size();
    long unit = Math.min(size, Long.lowestOneBit(source | target | 16));
    try (Arena arena = Arena.ofConfined()) {
      BoxPair boxes = BoxPair.of(from, to);
      if (boxes != null
          && copyBoxes(boxes, size, unit == size, source, target, within, stream, arena)) {
        return;
      }
      long parts = size / unit;
      MemorySegment numbers =
          arena.allocateFrom(JAVA_LONG, source, target, from.count(), parts, unit);
      MemorySegment pointers =
          pointers(
              arena,
              numbers,
              DeviceLayout.describe(from, fromList, arena),
              numbers.asSlice(8),
              DeviceLayout.describe(to, toList, arena),
              numbers.asSlice(16),
              numbers.asSlice(24),
              numbers.asSlice(32));
      copies
          .get()
          .launch(LoadedKernel.blocks(from.count() * parts, BLOCK), BLOCK, stream, pointers);
    }
  }

  /** Adds a copy that the driver or the kernel of transposes does; returns whether one does. */
  private boolean copyBoxes(
      BoxPair boxes,
      int size,
      boolean aligned,
      long source,
      long target,
      boolean within,
      long stream,
      Arena arena) {
    int part = within ? RowsKernel.part(boxes, size, source, target) : 0;
    if (part > 0) {
      MemorySegment places =
          arena.allocateFrom(JAVA_LONG, source + boxes.fromOffset, target + boxes.toOffset);
      MemorySegment description = RowsKernel.describe(boxes, size, part, arena);
      requireNonNull(rows.get(part))
          .get()
          .launch(
              RowsKernel.grid(description),
              RowsKernel.BLOCK,
              stream,
              pointers(arena, places, places.asSlice(8), description));
      return true;
    }
    MemorySegment box = box(boxes, size, source, target, arena);
    if (box.address() != 0) {
      DriverMemory.copyBox(box, stream);
      return true;
    }
    MemorySegment tiles = TransposeKernel.describe(boxes, size, arena);
    if (!aligned || tiles.address() == 0) {
      return false;
    }
    MemorySegment numbers =
        arena.allocateFrom(JAVA_LONG, source, target, TransposeKernel.further(tiles));
    MemorySegment pointers =
        pointers(arena, numbers, numbers.asSlice(8), tiles, numbers.asSlice(16));
    requireNonNull(transposes.get(size))
        .get()
        .launch(TransposeKernel.grid(tiles), TransposeKernel.BLOCK, stream, pointers);
    return true;
  }

  static MemorySegment pointers(Arena arena, MemorySegment... arguments) {
    MemorySegment pointers = arena.allocate(ADDRESS, arguments.length);
    for (int i = 0; i < arguments.length; i++) {
      pointers.setAtIndex(ADDRESS, i, arguments[i]);
    }
    return pointers;
  }

  /**
   * Describes a copy of boxes for the driver, or returns {@link MemorySegment#NULL} if it is none
   * that the driver does: rows without gaps, up to three axes, planes a whole number of rows apart.
   */
  static MemorySegment box(BoxPair boxes, int size, long source, long target, Arena arena) {
    int rank = boxes.rank();
    if (rank < 1 || rank > 3 || boxes.from[rank - 1] != size || boxes.to[rank - 1] != size) {
      return MemorySegment.NULL;
    }
    long width = boxes.extents[rank - 1] * size;
    long height = rank > 1 ? boxes.extents[rank - 2] : 1;
    long depth = rank > 2 ? boxes.extents[0] : 1;
    MemorySegment box = arena.allocate(BOX, 8);
    boolean fits =
        side(box, 0, source + boxes.fromOffset, boxes.from, rank, width, height)
            && side(box, 88, target + boxes.toOffset, boxes.to, rank, width, height);
    box.set(JAVA_LONG, 176, width);
    box.set(JAVA_LONG, 184, height);
    box.set(JAVA_LONG, 192, depth);
    return fits ? box : MemorySegment.NULL;
  }

  private static boolean side(
      MemorySegment box, long at, long address, long[] strides, int rank, long width, long height) {
    long pitch = rank > 1 ? strides[rank - 2] : width;
    long plane = rank > 2 ? strides[0] : pitch * height;
    box.set(JAVA_LONG, at + 32, DriverMemory.MEMORY_UNIFIED);
    box.set(JAVA_LONG, at + 48, address);
    box.set(JAVA_LONG, at + 72, pitch);
    box.set(JAVA_LONG, at + 80, pitch > 0 ? plane / pitch : 0);
    return pitch >= width && plane >= pitch * height && plane % pitch == 0;
  }
}
