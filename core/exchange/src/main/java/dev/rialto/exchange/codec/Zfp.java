package dev.rialto.exchange.codec;

import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.Optional;

/**
 * Floating-point numbers by the library zfp, within an absolute error or in so many bits each.
 *
 * <p>Written {@code zfp:1e-8}, or {@code zfp:16bits} for a fixed rate, whose error depends on the
 * data and is measured. Real and imaginary parts are encoded one after the other, since each alone
 * is smoother. A message that would get longer is sent as it is.
 */
final class Zfp implements Codec {
  /** Before each message: whether it is encoded. */
  private static final int HEADER = Long.BYTES;

  private final ZfpLibrary library;
  private final double tolerance;
  private final double rate;
  private final Arena arena = Arena.ofAuto();
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
  public Optional<String> refusal(DType type) {
    return type.kind() == DType.Kind.INTEGER || type.size() == 2
        ? Optional.of("zfp encodes F32, F64 and complex numbers, not " + type)
        : Optional.empty();
  }

  @Override
  public long bound(DType type, long count) {
    return HEADER + type.bytes(count);
  }

  @Override
  public long encode(MemorySegment from, DType type, long count, MemorySegment to) {
    if (count == 0) {
      // The library does not take empty fields.
      to.set(JAVA_LONG_UNALIGNED, 0, 0);
      return HEADER;
    }
    MemorySegment numbers = split(from, type, count);
    long bytes =
        library.encode(
            numbers, isWide(type), numbers(type, count), tolerance, rate, scratch(type, count));
    long raw = type.bytes(count);
    boolean pays = bytes > 0 && bytes < raw;
    to.set(JAVA_LONG_UNALIGNED, 0, pays ? 1 : 0);
    MemorySegment.copy(pays ? scratch(type, count) : from, 0, to, HEADER, pays ? bytes : raw);
    return HEADER + (pays ? bytes : raw);
  }

  @Override
  public void decode(MemorySegment from, long bytes, MemorySegment to, DType type, long count) {
    if (from.get(JAVA_LONG_UNALIGNED, 0) == 0) {
      MemorySegment.copy(from, HEADER, to, 0, type.bytes(count));
      return;
    }
    MemorySegment.copy(from, HEADER, scratch(type, count), 0, bytes - HEADER);
    boolean complex = type.kind() == DType.Kind.COMPLEX;
    MemorySegment numbers = complex ? parts.asSlice(0, type.bytes(count)) : to;
    library.decode(
        scratch(type, count),
        bytes - HEADER,
        isWide(type),
        numbers(type, count),
        tolerance,
        rate,
        numbers);
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
      parts = arena.allocate(needed, 64);
    }
  }
}
