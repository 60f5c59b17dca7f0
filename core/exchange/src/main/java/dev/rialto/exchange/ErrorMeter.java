package dev.rialto.exchange;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import dev.rialto.exchange.codec.Codec;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.function.LongFunction;

/**
 * How far what the receivers get is from what was sent. Each message is decoded again by its
 * sender: a lossy codec costs that much more, and its users know what they lost.
 */
final class ErrorMeter {
  private final Codec codec;
  private final DType type;
  private final MemorySegment decoded;
  private double max;
  private double squares;
  private long numbers;

  /** Makes a meter; with 0 {@code bytes} it measures nothing, as suits a lossless codec. */
  ErrorMeter(Codec codec, DType type, long bytes, LongFunction<MemorySegment> allocator) {
    this.codec = codec;
    this.type = type;
    this.decoded = bytes == 0 ? MemorySegment.NULL : allocator.apply(bytes);
  }

  void reset() {
    max = 0;
    squares = 0;
    numbers = 0;
  }

  void measure(MemorySegment elements, MemorySegment encoded, long bytes, long count) {
    if (decoded.byteSize() == 0) {
      return;
    }
    codec.decode(encoded, bytes, decoded, type, count);
    boolean wide = type == DType.F64 || type == DType.C128;
    int size = wide ? 8 : 4;
    for (long at = 0; at < type.bytes(count); at += size) {
      double error =
          wide
              ? elements.get(JAVA_DOUBLE_UNALIGNED, at) - decoded.get(JAVA_DOUBLE_UNALIGNED, at)
              : elements.get(JAVA_FLOAT_UNALIGNED, at) - decoded.get(JAVA_FLOAT_UNALIGNED, at);
      max = Math.max(max, Math.abs(error));
      squares += error * error;
      numbers++;
    }
  }

  double max() {
    return max;
  }

  double rms() {
    return numbers == 0 ? 0 : Math.sqrt(squares / numbers);
  }
}
