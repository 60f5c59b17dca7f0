package dev.rialto.exchange.codec;

import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.Optional;

/**
 * Floating-point numbers by the library zfp, within an absolute error or in so many bits each.
 *
 * <p>Written {@code zfp:1e-8}, or {@code zfp:16bits} for a fixed rate: that has no bound, its error
 * depends on the data and is only measured. The library keeps a tolerance where the numbers of a
 * block are of similar size, and knows finite numbers only; what does not come back within it is
 * sent as it is. Real and imaginary parts are encoded one after the other, since each alone is
 * smoother.
 */
final class Zfp implements Codec {
  private final ZfpLibrary library;
  private final double tolerance;
  private final double rate;
  private MemorySegment parts = MemorySegment.NULL;

  private Zfp(ZfpLibrary library, double tolerance, double rate) {
    this.library = library;
    this.tolerance = tolerance;
    this.rate = rate;
  }

  static Zfp of(String bound) {
    if (bound.isEmpty()) {
      throw new IllegalArgumentException(
          "zfp loses digits; say how many it may, as in zfp:1e-8 or zfp:16bits");
    }
    boolean bits = bound.endsWith("bits");
    double number = Bounds.parse(bits ? bound.substring(0, bound.length() - 4) : bound);
    return new Zfp(ZfpLibrary.get(), bits ? 0 : number, bits ? number : 0);
  }

  @Override
  public String name() {
    return rate > 0 ? String.format(Locale.ROOT, "zfp:%.0fbits", rate) : "zfp:" + tolerance;
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
    return rate > 0 ? Double.isFinite(decoded) : Math.abs(number - decoded) <= tolerance;
  }

  @Override
  public Optional<String> refusal(DType type) {
    return type.kind() == DType.Kind.INTEGER || type.size() == 2
        ? Optional.of("zfp encodes F32, F64 and complex numbers, not " + type)
        : Optional.empty();
  }

  @Override
  public long bound(DType type, long count) {
    return type.bytes(count);
  }

  @Override
  public long encode(MemorySegment from, DType type, long count, MemorySegment to) {
    if (count == 0) {
      // The library does not take empty fields.
      return 0;
    }
    MemorySegment numbers = split(from, type, count);
    MemorySegment encoded = scratch(type, count);
    long bytes =
        library.encode(numbers, isWide(type), numbers(type, count), tolerance, rate, encoded);
    long whole = type.bytes(count);
    boolean pays = bytes > 0 && bytes < whole;
    MemorySegment.copy(pays ? encoded : from, 0, to, 0, pays ? bytes : whole);
    return pays ? bytes : whole;
  }

  @Override
  public void decode(MemorySegment from, long bytes, MemorySegment to, DType type, long count) {
    if (bytes == type.bytes(count)) {
      MemorySegment.copy(from, 0, to, 0, bytes);
      return;
    }
    MemorySegment.copy(from, 0, scratch(type, count), 0, bytes);
    boolean complex = type.kind() == DType.Kind.COMPLEX;
    MemorySegment numbers = complex ? parts.asSlice(0, type.bytes(count)) : to;
    library.decode(
        scratch(type, count), bytes, isWide(type), numbers(type, count), tolerance, rate, numbers);
    if (complex) {
      rearrange(numbers, to, type, count, false);
    }
  }

  private static boolean isWide(DType type) {
    return type == DType.F64 || type == DType.C128;
  }

  private static long numbers(DType type, long count) {
    return type.bytes(count) / (isWide(type) ? 8 : 4);
  }

  /** Returns the numbers with all real parts before all imaginary ones. */
  private MemorySegment split(MemorySegment from, DType type, long count) {
    reserve(type, count);
    if (type.kind() != DType.Kind.COMPLEX) {
      return from;
    }
    MemorySegment numbers = parts.asSlice(0, type.bytes(count));
    rearrange(from, numbers, type, count, true);
    return numbers;
  }

  private static void rearrange(
      MemorySegment from, MemorySegment to, DType type, long count, boolean apart) {
    int size = type.size() / 2;
    for (long i = 0; i < count; i++) {
      for (int part = 0; part < 2; part++) {
        long together = (2 * i + part) * size;
        long separate = (part * count + i) * size;
        MemorySegment.copy(
            from, apart ? together : separate, to, apart ? separate : together, size);
      }
    }
  }

  /** Returns the place for encoded bytes, which may be more than the numbers were. */
  private MemorySegment scratch(DType type, long count) {
    reserve(type, count);
    return parts.asSlice(type.bytes(count));
  }

  private void reserve(DType type, long count) {
    long needed = type.bytes(count) + ZfpLibrary.mostBytes(type.bytes(count));
    if (parts.byteSize() < needed) {
      parts = Arena.ofAuto().allocate(needed, 64);
    }
  }
}
