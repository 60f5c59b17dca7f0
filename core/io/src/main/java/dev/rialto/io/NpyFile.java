package dev.rialto.io;

import dev.rialto.array.DistributedArray;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.LongConsumer;

/**
 * An array in a NumPy file ({@code .npy}), mapped into memory: parts of it are read and written
 * without the rest, so that ranks share a file that none of them could hold.
 *
 * {@snippet :
 * NpyFile.save(path, array);
 * try (Arena arena = Arena.ofConfined()) {
 *   double[] all = NpyFile.open(path, arena).read(arena).toArray(ValueLayout.JAVA_DOUBLE);
 * }
 * }
 *
 * <p>Files of all versions are read, in C and Fortran order, in either byte order, of the types
 * that {@link DType} has and NumPy too: float16, float32, float64, complex64, complex128, int8,
 * int32 and int64. They are written as NumPy writes them, byte for byte: version 1, C order, this
 * machine's byte order. Memory that is read into or written from is in row-major order, or as a
 * distribution says.
 */
public final class NpyFile {
  private final MappedArray array;

  private NpyFile(MappedArray array) {
    this.array = array;
  }

  /**
   * Maps an existing file for reading.
   *
   * @param arena how long it stays mapped
   * @throws FileFormatException if it is not an array that can be read
   */
  public static NpyFile open(Path path, Arena arena) throws IOException {
    try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
      return map(path, channel, FileChannel.MapMode.READ_ONLY, arena);
    }
  }

  /** Maps an existing file for reading and writing parts of it; see {@link #open}. */
  public static NpyFile reopen(Path path, Arena arena) throws IOException {
    try (FileChannel channel =
        FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      return map(path, channel, FileChannel.MapMode.READ_WRITE, arena);
    }
  }

  private static NpyFile map(Path path, FileChannel channel, FileChannel.MapMode mode, Arena arena)
      throws IOException {
    NpyHeader header = NpyHeader.read(path, channel);
    long bytes = header.type().bytes(header.shape().count());
    if (channel.size() < header.length() + bytes) {
      throw new FileFormatException(
          path,
          "ends after " + channel.size() + " bytes of " + (header.length() + bytes),
          "Copy or save it again.");
    }
    return new NpyFile(
        new MappedArray(
            channel.map(mode, header.length(), bytes, arena),
            header.type(),
            header.shape(),
            header.fortran(),
            header.foreign()));
  }

  /**
   * Makes a file of zeros, in place of what is there, and maps it for writing.
   *
   * @throws UnsupportedOperationException if NumPy has no such type
   */
  public static NpyFile create(Path path, DType type, Shape shape, Arena arena) throws IOException {
    byte[] header = NpyHeader.bytes(type, shape);
    MemorySegment data = MappedFile.create(path, header, type.bytes(shape.count()), arena);
    return new NpyFile(new MappedArray(data, type, shape, false, false));
  }

  /** Writes an array in row-major order. */
  public static void save(Path path, DType type, Shape shape, MemorySegment elements)
      throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      NpyFile file = create(path, type, shape, arena);
      MemorySegment.copy(elements, 0, file.array.data(), 0, type.bytes(shape.count()));
    }
  }

  /**
   * Writes a distributed array: the first rank makes the file, each writes its part. Collective.
   */
  public static void save(Path path, DistributedArray array) throws IOException {
    Communicator comm = array.team().communicator();
    MappedFile.byAllRanks(
        comm,
        path,
        () -> {
          try (Arena arena = Arena.ofConfined()) {
            var _ = create(path, array.type(), array.shape(), arena);
          }
        },
        () -> {
          try (Arena arena = Arena.ofConfined()) {
            reopen(path, arena).array.write(Part.of(array), array.local(), _ -> {});
          }
        });
  }

  /**
   * Reads a distributed array of the same shape and type; a file of reals may fill a complex one.
   * Each rank reads its own part, so it is not collective.
   */
  public static void load(Path path, DistributedArray array) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      open(path, arena).array.read(Part.of(array), array.type(), array.local(), _ -> {});
    }
  }

  /** Returns the elements' type. */
  public DType type() {
    return array.type();
  }

  /** Returns the array's shape. */
  public Shape shape() {
    return array.shape();
  }

  /** Returns a copy of all elements in row-major order. */
  public MemorySegment read(Arena arena) {
    MemorySegment all = arena.allocate(Math.max(1, type().bytes(shape().count())), 64);
    read(Distribution.onOne(shape(), 1, 0), 0, type(), all);
    return all.asSlice(0, type().bytes(shape().count()));
  }

  /**
   * Copies a rank's part, as {@link #read(Distribution, int, DType, MemorySegment, LongConsumer)}.
   */
  public void read(Distribution distribution, int rank, DType as, MemorySegment into) {
    read(distribution, rank, as, into, _ -> {});
  }

  /**
   * Copies a rank's part.
   *
   * @param as the type of the memory: this file's, or complex where that is real
   * @param into memory that holds the part as the distribution says
   * @param copied is told of each piece how many elements it had
   */
  public void read(
      Distribution distribution, int rank, DType as, MemorySegment into, LongConsumer copied) {
    array.read(Part.of(distribution, rank), as, into, copied);
  }

  /** Writes a rank's part, as {@link #write(Distribution, int, MemorySegment, LongConsumer)}. */
  public void write(Distribution distribution, int rank, MemorySegment from) {
    write(distribution, rank, from, _ -> {});
  }

  /**
   * Writes a rank's part.
   *
   * @param from memory that holds the part as the distribution says
   * @param copied is told of each piece how many elements it had
   */
  public void write(Distribution distribution, int rank, MemorySegment from, LongConsumer copied) {
    array.write(Part.of(distribution, rank), from, copied);
  }
}
