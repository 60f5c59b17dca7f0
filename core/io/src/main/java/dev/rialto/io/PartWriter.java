package dev.rialto.io;

import dev.rialto.spi.data.DType;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.LongConsumer;

/**
 * Writes a rank's part of an array to a file that has the elements in row-major order. Runs that
 * follow one another in the file are written together.
 *
 * <p>By writing, not through a mapping: a disk that is full is an exception here, and a signal
 * there.
 */
final class PartWriter {
  private static final long BLOCK = 1 << 20;

  private final FileChannel channel;
  private final long offset;
  private final DType type;
  private final long[] strides;
  private final MemorySegment from;
  private final MemorySegment block;

  /** Where in the file the block begins, and how many bytes it has. */
  private long start;

  private long filled;

  private PartWriter(
      FileChannel channel,
      long offset,
      DType type,
      long[] strides,
      MemorySegment from,
      MemorySegment block) {
    this.channel = channel;
    this.offset = offset;
    this.type = type;
    this.strides = strides;
    this.from = from;
    this.block = block;
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

  /** Writes bytes at a place of a file. */
  static void write(FileChannel channel, ByteBuffer bytes, long at) throws IOException {
    long next = at;
    while (bytes.hasRemaining()) {
      next += channel.write(bytes, next);
    }
  }

  /**
   * Writes a part and forces it to the disk.
   *
   * @param offset where the elements begin in the file
   * @param copied is told of each piece how many elements it had
   */
  static void write(
      Path file, long offset, DType type, Part part, MemorySegment from, LongConsumer copied)
      throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE);
        Arena arena = Arena.ofConfined()) {
      PartWriter writer =
          new PartWriter(
              channel, offset, type, part.shape().strides(), from, arena.allocate(BLOCK, 64));
      part.forEachRun(
          (local, stride, index, count) -> {
            writer.run(local, stride, index, count);
            copied.accept(count);
          });
      writer.flush();
      channel.force(true);
    }
  }

  private void run(long local, long stride, long[] index, long count) throws IOException {
    long element = 0;
    for (int axis = 0; axis < index.length; axis++) {
      element += index[axis] * strides[axis];
    }
    long at = offset + type.bytes(element);
    long source = type.bytes(local);
    if (stride == 1) {
      add(at, source, type.bytes(count));
      return;
    }
    for (long i = 0; i < count; i++) {
      add(at + type.bytes(i), source + type.bytes(i * stride), type.size());
    }
  }

  private void add(long at, long source, long bytes) throws IOException {
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
}
