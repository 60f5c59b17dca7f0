package dev.rialto.cli.solve;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.array.Array;
import dev.rialto.io.NpyFile;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.local.Values;
import dev.rialto.spi.data.DType;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/** Reads a vector in NumPy's format: each rank reads the file and takes what it owns. */
final class NumpyVector {
  private NumpyVector() {}

  static Array read(Path file, IndexMap map, DType type) throws IOException {
    try (Arena arena = Arena.ofConfined()) {
      NpyFile numbers = NpyFile.open(file, arena);
      long rows = numbers.shape().rank() == 0 ? 1 : numbers.shape().extent(0);
      if (rows != map.size() || numbers.shape().count() != rows) {
        throw new IOException(
            "%s holds %s numbers, where a vector of %d is needed"
                .formatted(file, numbers.shape(), map.size()));
      }
      if (numbers.type().kind() == DType.Kind.COMPLEX && type.kind() != DType.Kind.COMPLEX) {
        throw new IOException(
            "%s holds complex numbers, but the matrix is real (%s)".formatted(file, type));
      }
      MemorySegment all = numbers.read(arena);
      Values values = Values.zeros(type, map.owned());
      for (int local = 0; local < map.owned(); local++) {
        Scalar value = element(all, numbers.type(), map.global(local));
        values.set(local, value.re(), value.im());
      }
      Array vector = map.space().array(type);
      vector.copyFrom(values.memory());
      return vector;
    }
  }

  private static Scalar element(MemorySegment all, DType type, long i) throws IOException {
    return switch (type) {
      case F64 -> new Scalar(all.getAtIndex(JAVA_DOUBLE, i), 0);
      case F32 -> new Scalar(all.getAtIndex(JAVA_FLOAT, i), 0);
      case C128 ->
          new Scalar(all.getAtIndex(JAVA_DOUBLE, 2 * i), all.getAtIndex(JAVA_DOUBLE, 2 * i + 1));
      case C64 ->
          new Scalar(all.getAtIndex(JAVA_FLOAT, 2 * i), all.getAtIndex(JAVA_FLOAT, 2 * i + 1));
      case I8 -> new Scalar(all.get(JAVA_BYTE, i), 0);
      case I32 -> new Scalar(all.getAtIndex(JAVA_INT, i), 0);
      case I64 -> new Scalar(all.getAtIndex(JAVA_LONG, i), 0);
      default -> throw new IOException("a vector of " + type + " is not read; store it as F64");
    };
  }
}
