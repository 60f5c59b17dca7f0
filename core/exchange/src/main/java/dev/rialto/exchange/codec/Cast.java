package dev.rialto.exchange.codec;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_SHORT_UNALIGNED;

import dev.rialto.exchange.kernel.Halves;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.OptionalDouble;

/**
 * Sends floating-point numbers in a narrower type.
 *
 * <p>Without a bound it is the next narrower type: 64 bits become 32, and 32 become the upper 16,
 * with the relative error of rounding to that. With a bound on the relative error it is the
 * narrowest that keeps it. Numbers that are too small or too large for the narrower type do not
 * come back within the bound; a message with one is sent as it is.
 */
final class Cast implements Codec {
  private static final double ROUNDOFF_F32 = 0x1p-24;
  private static final double ROUNDOFF_BF16 = 0x1p-8;

  private final OptionalDouble bound;

  private Cast(OptionalDouble bound) {
    this.bound = bound;
  }

  static Cast of(String bound) {
    return new Cast(
        bound.isEmpty() ? OptionalDouble.empty() : OptionalDouble.of(Bounds.parse(bound)));
  }

  @Override
  public String name() {
    return bound.isEmpty() ? "cast" : "cast:" + bound.getAsDouble();
  }

  @Override
  public boolean lossless() {
    return false;
  }

  @Override
  public boolean fixedLength() {
    return false;
  }

  @Override
  public boolean keeps(DType type, double number, double decoded) {
    double relative = bound.orElse(narrow(type) == 4 ? ROUNDOFF_F32 : ROUNDOFF_BF16);
    return Math.abs(number - decoded) <= relative * Math.abs(number);
  }

  /** Returns the bytes of one number before. */
  private static int wide(DType type) {
    return type == DType.F64 || type == DType.C128 ? 8 : 4;
  }

  /** Returns the bytes of one number after: 4, or 2 for the upper half of a binary32. */
  int narrow(DType type) {
    if (bound.isPresent() && bound.getAsDouble() >= ROUNDOFF_BF16) {
      return 2;
    }
    return wide(type) / 2;
  }

  @Override
  public Optional<String> refusal(DType type) {
    if (type.kind() == DType.Kind.INTEGER || type.size() == 2) {
      return Optional.of("cast narrows F32, F64 and complex numbers, not " + type);
    }
    double least = wide(type) == 8 ? ROUNDOFF_F32 : ROUNDOFF_BF16;
    return bound.isPresent() && bound.getAsDouble() < least
        ? Optional.of(
            "cast of %s keeps a relative error of %s at best, not %s"
                .formatted(type, least, bound.getAsDouble()))
        : Optional.empty();
  }

  @Override
  public Codec on(Device device, Stream stream) {
    return device
        .arrays()
        .<Codec>map(kernels -> new DeviceCast(this, device, kernels, stream))
        .orElse(this);
  }

  @Override
  public long bound(DType type, long count) {
    return type.bytes(count) / wide(type) * narrow(type);
  }

  @Override
  public long encode(MemorySegment from, DType type, long count, MemorySegment to) {
    long numbers = type.bytes(count) / wide(type);
    boolean wide = wide(type) == 8;
    boolean half = narrow(type) == 2;
    for (long i = 0; i < numbers; i++) {
      float value =
          wide
              ? (float) from.get(JAVA_DOUBLE_UNALIGNED, 8 * i)
              : from.get(JAVA_FLOAT_UNALIGNED, 4 * i);
      if (half) {
        to.set(JAVA_SHORT_UNALIGNED, 2 * i, Halves.fromFloat(DType.BF16, value));
      } else {
        to.set(JAVA_FLOAT_UNALIGNED, 4 * i, value);
      }
    }
    return numbers * narrow(type);
  }

  @Override
  public void decode(MemorySegment from, long bytes, MemorySegment to, DType type, long count) {
    long numbers = type.bytes(count) / wide(type);
    boolean wide = wide(type) == 8;
    boolean half = narrow(type) == 2;
    for (long i = 0; i < numbers; i++) {
      float value =
          half
              ? Halves.toFloat(DType.BF16, from.get(JAVA_SHORT_UNALIGNED, 2 * i))
              : from.get(JAVA_FLOAT_UNALIGNED, 4 * i);
      if (wide) {
        to.set(JAVA_DOUBLE_UNALIGNED, 8 * i, value);
      } else {
        to.set(JAVA_FLOAT_UNALIGNED, 4 * i, value);
      }
    }
  }
}
