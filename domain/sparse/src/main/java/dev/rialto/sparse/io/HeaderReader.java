package dev.rialto.sparse.io;

import dev.rialto.sparse.io.Header.Symmetry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** Reads the first lines of a Matrix Market file: the banner, comments and sizes. */
final class HeaderReader {
  private final Path file;
  private final Chunks chunks;
  private long bytes;

  HeaderReader(Path file, Chunks chunks) {
    this.file = file;
    this.chunks = chunks;
  }

  long bytes() {
    return bytes;
  }

  Header read() throws IOException {
    try (InputStream stream = chunks.open()) {
      Header banner = Header.parse(file.toString(), nextLine(stream, 1));
      long number = 1;
      String line;
      do {
        number++;
        line = nextLine(stream, number).trim();
      } while (line.isEmpty() || line.startsWith("%"));
      String[] words = line.split("\\s+", -1);
      long[] sizes = new long[words.length];
      if (words.length != (banner.coordinate() ? 3 : 2)) {
        throw new MatrixMarketException(
            file.toString(),
            number,
            "'%s' should be the sizes: rows columns%s"
                .formatted(line, banner.coordinate() ? " entries" : ""));
      }
      for (int i = 0; i < words.length; i++) {
        try {
          sizes[i] = Long.parseLong(words[i]);
        } catch (NumberFormatException e) {
          sizes[i] = -1;
        }
        if (sizes[i] < 0) {
          throw new MatrixMarketException(
              file.toString(), number, "size '" + words[i] + "' is no number from 0 up");
        }
      }
      if (banner.symmetry() != Symmetry.GENERAL && sizes[0] != sizes[1]) {
        throw new MatrixMarketException(
            file.toString(),
            number,
            "%d rows and %d columns cannot be symmetric".formatted(sizes[0], sizes[1]));
      }
      long entries = banner.coordinate() ? sizes[2] : arrayEntries(banner, sizes, number);
      return banner.withSizes(sizes[0], sizes[1], entries);
    }
  }

  private long arrayEntries(Header banner, long[] sizes, long number) throws MatrixMarketException {
    try {
      long n = sizes[0];
      return switch (banner.symmetry()) {
        case GENERAL -> Math.multiplyExact(n, sizes[1]);
        case SYMMETRIC, HERMITIAN -> Math.multiplyExact(n, n + 1) / 2;
        case SKEW_SYMMETRIC -> Math.multiplyExact(n, Math.max(0, n - 1)) / 2;
      };
    } catch (ArithmeticException e) {
      throw new MatrixMarketException(
          file.toString(), number, "%d x %d is too large".formatted(sizes[0], sizes[1]));
    }
  }

  private String nextLine(InputStream stream, long number) throws IOException {
    ByteArrayOutputStream line = new ByteArrayOutputStream();
    int b = stream.read();
    if (b < 0) {
      throw new MatrixMarketException(file.toString(), number, "the file ends before the sizes");
    }
    while (b >= 0 && b != '\n') {
      line.write(b);
      if (line.size() > 1 << 16) {
        throw new MatrixMarketException(file.toString(), number, "a line of more than 64 KiB");
      }
      b = stream.read();
    }
    bytes += line.size() + (b < 0 ? 0 : 1);
    return line.toString(StandardCharsets.ISO_8859_1);
  }
}
