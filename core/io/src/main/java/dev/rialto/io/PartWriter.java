package dev.rialto.io;

import dev.rialto.array.Array;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongConsumer;

/**
 * Writes a rank's part of an array to a file that has the elements in row-major order. Runs that
 * follow one another in the file are written together.
 *
 * <p>By writing, not through a mapping: a disk that is full is an exception here, and a signal
 * there.
 */
final class PartWriter implements AutoCloseable {
  /** Bytes of an array on a device that travel at once. */
  static final long CHUNK = 8 << 20;

  private static final long BLOCK = 1 << 20;

  /** Writes what a rank has. */
  @FunctionalInterface
  interface Writing {
    void to(PartWriter writer) throws IOException;
  }

  private final FileChannel channel;
  private final long offset;
  private final DType type;
  private final long[] strides;
  private final Arena arena = Arena.ofConfined();
  private final MemorySegment block = arena.allocate(BLOCK, 64);

  /** The place of the block in the file, and its bytes. */
  private long start;

  private long filled;

  private PartWriter(Path file, long offset, DType type, Shape shape) throws IOException {
    this.channel = FileChannel.open(file, StandardOpenOption.WRITE);
    this.offset = offset;
    this.type = type;
    this.strides = shape.strides();
  }

  /** Begins a file with a header and lets the rest be zeros. */
  static void create(Path file, byte[] header, long length) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      write(channel, ByteBuffer.wrap(header), 0);
      if (length > header.length) {
        write(channel, ByteBuffer.allocate(1), length - 1);
      }
    }
  }

  static void write(FileChannel channel, ByteBuffer bytes, long at) throws IOException {
    long next = at;
    while (bytes.hasRemaining()) {
      next += channel.write(bytes, next);
    }
  }

  /**
   * Writes a rank's elements to a file and forces them to the disk.
   *
   * @param offset where the elements begin in the file
   * @param shape of the whole array
   */
  static void write(Path file, long offset, DType type, Shape shape, Writing writing)
      throws IOException {
    try (PartWriter writer = new PartWriter(file, offset, type, shape)) {
      writing.to(writer);
      writer.flush();
      writer.channel.force(true);
    }
  }

  /** Writes a rank's part of an array; from a device a chunk while the next one is read. */
  void write(Array array) throws IOException {
    if (!array.isOnDevice()) {
      write(Part.of(array), array.local(), _ -> {});
      return;
    }
    List<Part.Chunk> chunks = Part.chunks(array, CHUNK);
    Deque<CompletableFuture<MemorySegment>> read = new ArrayDeque<>();
    for (int i = 0; i < chunks.size(); i++) {
      for (int next = i + read.size(); next < Math.min(chunks.size(), i + 2); next++) {
        read.add(array.space().client().readAsync(chunks.get(next).in(array)));
      }
      write(chunks.get(i).part(), here(read.remove()), _ -> {});
    }
  }

  /** Waits for a chunk, and fails as what should have read it has failed. */
  private static MemorySegment here(CompletableFuture<MemorySegment> chunk) {
    try {
      return chunk.join();
    } catch (CompletionException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw e;
    }
  }

  /**
   * Writes a part.
   *
   * @param copied is told of each piece how many elements it had
   */
  void write(Part part, MemorySegment from, LongConsumer copied) throws IOException {
    part.forEachRun(
        (local, stride, index, count) -> {
          run(from, local, stride, index, count);
          copied.accept(count);
        });
  }

  private void run(MemorySegment from, long local, long stride, long[] index, long count)
      throws IOException {
    long element = 0;
    for (int axis = 0; axis < index.length; axis++) {
      element += index[axis] * strides[axis];
    }
    long at = offset + type.bytes(element);
    long source = type.bytes(local);
    if (stride == 1) {
      add(at, from, source, type.bytes(count));
      return;
    }
    for (long i = 0; i < count; i++) {
      add(at + type.bytes(i), from, source + type.bytes(i * stride), type.size());
    }
  }

  private void add(long at, MemorySegment from, long source, long bytes) throws IOException {
    if (at != start + filled) {
      flush();
      start = at;
    }
    long done = 0;
    while (done < bytes) {
      if (filled == BLOCK) {
        flush();
      }
      long some = Math.min(bytes - done, BLOCK - filled);
      MemorySegment.copy(from, source + done, block, filled, some);
      filled += some;
      done += some;
    }
  }

  private void flush() throws IOException {
    write(channel, block.asSlice(0, filled).asByteBuffer(), start);
    start += filled;
    filled = 0;
  }

  @Override
  public void close() throws IOException {
    arena.close();
    channel.close();
  }
}
