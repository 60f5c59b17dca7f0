package dev.rialto.sparse.io;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.zip.GZIPInputStream;

/**
 * Cuts a file into pieces of whole lines that are parsed one by one, in parallel where the file is
 * not compressed, so that no more of a file of any size than a few pieces is in memory as text.
 *
 * <p>Ranks take consecutive pieces: of a file that is sorted, most are of rows they own. A
 * compressed file can only be read from the start: each rank reads all of it and parses every so
 * many pieces.
 */
final class Chunks {
  /** A line longer than this is none of a matrix. */
  private static final int LONGEST_LINE = 1 << 16;

  private final Path file;
  private final int size;

  Chunks(Path file, int size) {
    this.file = file;
    this.size = size;
  }

  /** Takes one piece. */
  interface Parser<T> {
    /**
     * Parses whole lines.
     *
     * @param offset where in the file, uncompressed, {@code bytes[from]} is
     */
    T parse(byte[] bytes, int from, int end, long offset) throws IOException;
  }

  boolean compressed() throws IOException {
    try (InputStream stream = Files.newInputStream(file)) {
      return stream.read() == 0x1f && stream.read() == 0x8b;
    }
  }

  InputStream open() throws IOException {
    InputStream stream = Files.newInputStream(file);
    try {
      return compressed()
          ? new GZIPInputStream(stream, 1 << 16)
          : new BufferedInputStream(stream, 1 << 16);
    } catch (IOException e) {
      stream.close();
      throw e;
    }
  }

  /** Returns the line, from 1, in which an offset lies. */
  long line(long offset) throws IOException {
    try (InputStream stream = open()) {
      byte[] buffer = new byte[1 << 16];
      long line = 1;
      long done = 0;
      int count = stream.read(buffer);
      while (count > 0 && done < offset) {
        for (int i = 0; i < count && done < offset; i++, done++) {
          line += buffer[i] == '\n' ? 1 : 0;
        }
        count = stream.read(buffer);
      }
      return line;
    }
  }

  /** Parses the pieces of one rank, beginning at an offset, and returns the results in order. */
  <T> List<T> parse(long start, int rank, int ranks, Parser<T> parser) throws IOException {
    if (compressed()) {
      return sequential(start, rank, ranks, parser);
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      long length = channel.size();
      long pieces = (length - start + size - 1) / size;
      // Ranks are the parallelism; one alone uses the cores itself.
      LongStream mine = LongStream.range(pieces * rank / ranks, pieces * (rank + 1) / ranks);
      return (ranks == 1 ? mine.parallel() : mine)
          .mapToObj(k -> piece(channel, start + k * size, length, k == 0, parser))
          .toList();
    } catch (java.io.UncheckedIOException e) {
      throw e.getCause();
    }
  }

  private <T> T piece(
      FileChannel channel, long begin, long length, boolean first, Parser<T> parser) {
    try {
      // One byte before: a piece that begins at the start of a line begins with it.
      long from = first ? begin : begin - 1;
      int wanted = (int) Math.min(length - from, size + 1L + LONGEST_LINE);
      byte[] bytes = new byte[wanted];
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      while (buffer.hasRemaining()) {
        if (channel.read(buffer, from + buffer.position()) < 0) {
          throw new IOException(file + " became shorter while it was read");
        }
      }
      int start = first ? 0 : afterLine(bytes, 0, from);
      int limit = (int) Math.min(wanted, begin - from + size);
      int end = limit == wanted ? wanted : afterLine(bytes, limit - 1, from);
      return parser.parse(bytes, Math.min(start, end), end, from + Math.min(start, end));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  /** Returns the place after the first end of a line at or after {@code from}. */
  private int afterLine(byte[] bytes, int from, long offset) throws IOException {
    for (int i = from; i < bytes.length; i++) {
      if (bytes[i] == '\n') {
        return i + 1;
      }
      if (i - from > LONGEST_LINE - 2) {
        throw new MatrixMarketException(
            file.toString(), line(offset + from), "a line of more than 64 KiB");
      }
    }
    return bytes.length;
  }

  private <T> List<T> sequential(long start, int rank, int ranks, Parser<T> parser)
      throws IOException {
    List<T> results = new ArrayList<>();
    try (InputStream stream = open()) {
      stream.skipNBytes(start);
      byte[] bytes = new byte[size + LONGEST_LINE];
      int kept = 0;
      long offset = start;
      for (long k = 0; ; k++) {
        int count = kept + stream.readNBytes(bytes, kept, bytes.length - kept);
        boolean last = count < bytes.length;
        int end = count;
        while (!last && end > 0 && bytes[end - 1] != '\n') {
          end--;
        }
        if (!last && end < size) {
          throw new MatrixMarketException(
              file.toString(), line(offset + end), "a line of more than 64 KiB");
        }
        if (k % ranks == rank) {
          results.add(parser.parse(bytes, 0, end, offset));
        }
        offset += end;
        kept = count - end;
        System.arraycopy(bytes, end, bytes, 0, kept);
        if (last) {
          return results;
        }
      }
    }
  }
}
