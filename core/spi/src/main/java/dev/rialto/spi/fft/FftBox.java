package dev.rialto.spi.fft;

import dev.rialto.spi.data.DType;
import java.util.List;

/**
 * Transforms of several axes at once: {@code batch} arrays one after another, each row-major and
 * without gaps.
 *
 * @param kind FORWARD, INVERSE, REAL_TO_COMPLEX or COMPLEX_TO_REAL; the last two halve the last
 *     axis of the complex array
 * @param precision F32 or F64
 * @param batch how many arrays, from 1
 * @param extents the points of each axis, two or three
 * @param scale what results are multiplied by
 */
public record FftBox(
    FftSpec.Kind kind, DType precision, long batch, List<Long> extents, double scale) {
  /** Checks the values and copies the extents. */
  public FftBox {
    extents = List.copyOf(extents);
    if (extents.size() < 2
        || extents.size() > 3
        || batch < 1
        || extents.stream().anyMatch(extent -> extent < 1)) {
      throw new IllegalArgumentException(
          "%d arrays of %s points; give at least 1, and two or three axes of at least 1"
              .formatted(batch, extents));
    }
  }

  /** Returns the elements of one array of real numbers, or of complex ones all of which count. */
  public long points() {
    return extents.stream().reduce(1L, Math::multiplyExact);
  }

  private long half() {
    long last = extents.getLast();
    return points() / last * (last / 2 + 1);
  }

  /** Returns the elements of one input array. */
  public long inCount() {
    return kind == FftSpec.Kind.COMPLEX_TO_REAL ? half() : points();
  }

  /** Returns the elements of one output array. */
  public long outCount() {
    return kind == FftSpec.Kind.REAL_TO_COMPLEX ? half() : points();
  }

  private long bytes(boolean complex, long count) {
    return Math.multiplyExact(count, batch) * precision.size() * (complex ? 2 : 1);
  }

  /** Returns the bytes of the input. */
  public long inBytes() {
    return bytes(kind.complexInput(), inCount());
  }

  /** Returns the bytes of the output. */
  public long outBytes() {
    return bytes(kind.complexOutput(), outCount());
  }
}
