package dev.rialto.exchange;

import dev.rialto.exchange.codec.Codec;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.function.LongFunction;

/**
 * The difference between what receivers get and what was sent. Each message is decoded again by its
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

  /** Returns whether all numbers come back as promised; if not, the message does not count. */
  boolean measure(MemorySegment elements, MemorySegment encoded, long bytes, long count) {
    if (codec.lossless()) {
      return true;
    }
    codec.decode(encoded, bytes, decoded, type, count);
    Codec.Deviation apart = codec.deviation(elements, decoded, type, count);
    numbers += type.bytes(count) / (type == DType.F64 || type == DType.C128 ? 8 : 4);
    if (apart.kept()) {
      max = Math.max(max, apart.max());
      squares += apart.squares();
    }
    return apart.kept();
  }

  double max() {
    return max;
  }

  double rms() {
    return numbers == 0 ? 0 : Math.sqrt(squares / numbers);
  }
}
