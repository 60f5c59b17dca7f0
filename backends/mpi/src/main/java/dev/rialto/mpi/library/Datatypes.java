package dev.rialto.mpi.library;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import java.lang.foreign.Arena;
import java.lang.invoke.MethodHandle;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * The library's datatypes for what is not a plain count of bytes: layouts, and blocks whose bytes
 * an {@code int} cannot count.
 *
 * <p>All are made of bytes, so any two of the same length match. The ones used last are kept; a
 * datatype may be freed while a message of it is under way, the library sees to that.
 */
public final class Datatypes {
  private static final int KEPT = 256;
  private static final int CHUNK_BITS = 30;

  private static final MethodHandle CONTIGUOUS = Mpi.function("MPI_Type_contiguous", "ihp");
  private static final MethodHandle HVECTOR = Mpi.function("MPI_Type_create_hvector", "iilhp");
  private static final MethodHandle HINDEXED_BLOCK =
      Mpi.function("MPI_Type_create_hindexed_block", "iiphp");
  private static final MethodHandle STRUCT = Mpi.function("MPI_Type_create_struct", "ipppp");
  private static final MethodHandle COMMIT = Mpi.function("MPI_Type_commit", "p");
  private static final MethodHandle FREE = Mpi.function("MPI_Type_free", "p");

  /** By layout, or by the number of bytes. */
  private static final Map<Object, Long> COMMITTED =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<Object, Long> eldest) {
          if (size() <= KEPT) {
            return false;
          }
          free(eldest.getValue());
          return true;
        }
      };

  private static final int LARGEST_POWER = Integer.numberOfTrailingZeros(DType.C128.size());

  /** By the power of two that the size is. */
  private static final long[] ELEMENTS = elements();

  private Datatypes() {}

  public static long element(DType type) {
    return ELEMENTS[Integer.numberOfTrailingZeros(type.size())];
  }

  /** Frees all that were made, before the library is left. */
  public static void freeAll() {
    synchronized (COMMITTED) {
      COMMITTED.values().forEach(Datatypes::free);
      COMMITTED.clear();
    }
    Arrays.stream(ELEMENTS).forEach(Datatypes::free);
  }

  private static long[] elements() {
    return IntStream.rangeClosed(0, LARGEST_POWER)
        .mapToLong(power -> commit(contiguous(1L << power)))
        .toArray();
  }

  /** Returns how many of {@link #ofBytes} make a block of so many bytes. */
  public static int count(long bytes) {
    return bytes <= Integer.MAX_VALUE ? (int) bytes : 1;
  }

  /** Returns the datatype of which {@link #count} make a block of so many bytes. */
  public static long ofBytes(long bytes) {
    return bytes <= Integer.MAX_VALUE ? Mpi.BYTE : block(bytes);
  }

  public static long block(long bytes) {
    synchronized (COMMITTED) {
      Long known = COMMITTED.get(bytes);
      if (known == null) {
        known = commit(contiguous(bytes));
        COMMITTED.put(bytes, known);
      }
      return known;
    }
  }

  /**
   * Returns the datatype of a layout, for memory from {@link #start} on.
   *
   * @throws UnsupportedOperationException if an extent is more than the library can count
   */
  public static long of(Layout layout) {
    synchronized (COMMITTED) {
      Long known = COMMITTED.get(layout);
      if (known == null) {
        known = commit(make(layout));
        COMMITTED.put(layout, known);
      }
      return known;
    }
  }

  /** Returns how far into a buffer the datatype of a layout starts, in bytes. */
  public static long start(Layout layout) {
    return layout instanceof Layout.Strided box ? box.offset() * box.type().size() : 0;
  }

  private static long make(Layout layout) {
    int size = layout.type().size();
    return switch (layout) {
      case Layout.Contiguous _ -> contiguous(layout.bytes());
      case Layout.Indexed list -> indexed(list.indices(), list.blockLength(), size);
      case Layout.Strided box -> {
        long type = contiguous(size);
        long[] strides = box.strides();
        for (int axis = strides.length - 1; axis >= 0; axis--) {
          type = spaced(box.extents().extent(axis), strides[axis] * size, type);
        }
        yield type;
      }
    };
  }

  /** Repeats a type. Open MPI gets steps backwards wrong in vectors, so those are listed. */
  private static long spaced(long extent, long stride, long inner) {
    int count = countable(extent, "extent");
    if (stride < 0) {
      return listed(LongStream.range(0, count).map(i -> i * stride).toArray(), inner);
    }
    Scratch scratch = Scratch.get();
    return derived(Native.call(HVECTOR, count, 1, stride, inner, scratch.out()), scratch, inner);
  }

  private static long indexed(long[] indices, long blockLength, int size) {
    long[] places = LongStream.of(indices).map(index -> index * size).toArray();
    return listed(places, contiguous(blockLength * size));
  }

  private static long listed(long[] places, long inner) {
    Scratch scratch = Scratch.get();
    try (Arena arena = Arena.ofConfined()) {
      long list = arena.allocateFrom(JAVA_LONG, places).address();
      int code = Native.call(HINDEXED_BLOCK, places.length, 1, list, inner, scratch.out());
      return derived(code, scratch, inner);
    }
  }

  /**
   * Makes the type of so many bytes: chunks of a gigabyte and a rest, where an int is too small.
   */
  private static long contiguous(long bytes) {
    Scratch scratch = Scratch.get();
    if (bytes <= Integer.MAX_VALUE) {
      Errors.check(Native.call(CONTIGUOUS, bytes, Mpi.BYTE, scratch.out()), "describing a block");
      return Mpi.getHandle(scratch.out());
    }
    long chunk = contiguous(1L << CHUNK_BITS);
    int chunks = countable(bytes >> CHUNK_BITS, "number of gigabytes");
    try (Arena arena = Arena.ofConfined()) {
      long counts = arena.allocate(8).address();
      Native.putInt(counts, chunks);
      Native.putInt(counts + 4, (int) (bytes & ((1L << CHUNK_BITS) - 1)));
      long places = arena.allocateFrom(JAVA_LONG, 0, (long) chunks << CHUNK_BITS).address();
      long types = arena.allocate(16).address();
      Mpi.putHandle(types, chunk);
      Mpi.putHandle(types + Mpi.HANDLE_BYTES, Mpi.BYTE);
      return derived(Native.call(STRUCT, 2, counts, places, types, scratch.out()), scratch, chunk);
    }
  }

  /** Takes the type that a function has made of another, which is no longer needed by itself. */
  private static long derived(int code, Scratch scratch, long from) {
    Errors.check(code, "describing a layout");
    long type = Mpi.getHandle(scratch.out());
    free(from);
    return type;
  }

  private static int countable(long value, String what) {
    if (value > Integer.MAX_VALUE) {
      throw new UnsupportedOperationException(
          what + " " + value + " of a layout is more than MPI can count, 2^31-1; split the layout");
    }
    return (int) value;
  }

  private static long commit(long type) {
    long out = Scratch.get().out();
    Mpi.putHandle(out, type);
    Errors.check(Native.call(COMMIT, out), "describing a layout");
    return type;
  }

  private static void free(long type) {
    long out = Scratch.get().out();
    Mpi.putHandle(out, type);
    Errors.check(Native.call(FREE, out), "freeing a datatype");
  }
}
