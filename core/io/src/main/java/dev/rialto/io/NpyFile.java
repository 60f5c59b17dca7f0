package dev.rialto.io;

import dev.rialto.array.Array;
import dev.rialto.array.Decomposition;
import dev.rialto.array.Team;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.runtime.ranks.JointFile;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.system.files.WholeFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * An array in a NumPy file ({@code .npy}). Parts of it are read and written without the rest, so
 * that ranks share a file that none of them could hold; a file is mapped into memory for reading,
 * and appears whole or not at all when it is written.
 *
 * {@snippet :
 * try (Array array = NpyFile.load(path, team)) {
 *   if (array instanceof RealArray numbers) {
 *     numbers.scale(0.5);
 *   }
 *   NpyFile.save(path, array);
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
      return map(path, channel, arena);
    }
  }

  private static NpyFile map(Path path, FileChannel channel, Arena arena) throws IOException {
    NpyHeader header = NpyHeader.read(path, channel);
    long there = Math.max(0, channel.size() - header.length());
    if (header.shape().count() > there / header.type().size()) {
      throw new FileFormatException(
          path,
          "has %d bytes after its header, and an array of shape (%s) of %s needs more"
              .formatted(there, header.shape(), header.type()),
          "Copy or save it again.");
    }
    long bytes = header.type().bytes(header.shape().count());
    return new NpyFile(
        new MappedArray(
            path,
            channel.map(FileChannel.MapMode.READ_ONLY, header.length(), bytes, arena),
            header.type(),
            header.shape(),
            header.fortran(),
            header.foreign()));
  }

  /**
   * Writes an array in row-major order.
   *
   * @throws UnsupportedOperationException if NumPy has no such type
   */
  public static void save(Path path, DType type, Shape shape, MemorySegment elements)
      throws IOException {
    byte[] header = NpyHeader.bytes(type, shape);
    Part all = Part.of(Distribution.onOne(shape, 1, 0), 0);
    WholeFile.make(
        path,
        temporary -> {
          PartWriter.create(temporary, header, header.length + type.bytes(shape.count()));
          PartWriter.write(
              temporary,
              header.length,
              type,
              shape,
              writer -> writer.write(all, elements, _ -> {}));
        });
  }

  /** Writes a distributed array, each rank its part. Collective. */
  public static void save(Path path, Array array) throws IOException {
    save(
        path,
        array.team().communicator(),
        array.type(),
        array.shape(),
        array.toString(),
        writer -> writer.write(array));
  }

  /**
   * Writes a distributed array, each rank its part. Collective.
   *
   * @param from memory that holds the rank's part as the distribution says
   * @param copied is told of each piece how many elements it had
   * @throws UnsupportedOperationException if NumPy has no such type
   */
  public static void save(
      Path path,
      Communicator comm,
      DType type,
      Distribution distribution,
      MemorySegment from,
      LongConsumer copied)
      throws IOException {
    Part part = Part.of(distribution, comm.rank());
    String what = "%s elements, %s".formatted(type, distribution);
    save(path, comm, type, part.shape(), what, writer -> writer.write(part, from, copied));
  }

  private static void save(
      Path path,
      Communicator comm,
      DType type,
      Shape shape,
      String what,
      PartWriter.Writing writing)
      throws IOException {
    byte[] header = NpyHeader.bytes(type, shape);
    long length = header.length + type.bytes(shape.count());
    JointFile.write(
        comm,
        path,
        what,
        temporary -> {
          if (comm.rank() == 0) {
            PartWriter.create(temporary, header, length);
          }
        },
        temporary -> PartWriter.write(temporary, header.length, type, shape, writing));
  }

  /**
   * Makes an array of a file's shape and type, divided along the first axis, with its elements.
   * Collective.
   *
   * @throws IOException on all ranks if one of them cannot read the file
   */
  public static Array load(Path path, Team team) throws IOException {
    return load(path, team, Decomposition.block());
  }

  /** Makes an array of a file, divided as given; see {@link #load(Path, Team)}. Collective. */
  public static Array load(Path path, Team team, Decomposition decomposition) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      NpyFile[] opened = new NpyFile[1];
      JointFile.onAllRanks(team.communicator(), () -> opened[0] = open(path, arena));
      NpyFile file = opened[0];
      Array array = team.space(file.shape().extents()).divided(decomposition).array(file.type());
      try {
        JointFile.onAllRanks(team.communicator(), () -> file.readInto(array, arena));
        return array;
      } catch (IOException e) {
        array.close();
        throw e;
      }
    }
  }

  /**
   * Reads a distributed array of the same shape and type; a file of reals may fill a complex one.
   * Each rank reads its own part, so it is not collective.
   */
  public static void load(Path path, Array array) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      open(path, arena).readInto(array, arena);
    }
  }

  private void readInto(Array to, Arena arena) throws IOException {
    try {
      readParts(to, arena);
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private void readParts(Array to, Arena arena) {
    if (!to.isOnDevice()) {
      array.read(Part.of(to), to.type(), to.local(), _ -> {});
      return;
    }
    List<Part.Chunk> chunks = Part.chunks(to, PartWriter.CHUNK);
    long most = chunks.stream().mapToLong(chunk -> chunk.there().bytes()).max().orElse(0);
    MemorySegment staging = arena.allocate(Math.max(1, most), 64);
    for (Part.Chunk chunk : chunks) {
      MemorySegment elements = staging.asSlice(0, chunk.there().bytes());
      array.read(chunk.part(), to.type(), elements, _ -> {});
      to.space().client().write(chunk.in(to), elements);
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
   * @throws UncheckedIOException if the file has lost elements since it was opened
   */
  public void read(
      Distribution distribution, int rank, DType as, MemorySegment into, LongConsumer copied) {
    array.read(Part.of(distribution, rank), as, into, copied);
  }
}
