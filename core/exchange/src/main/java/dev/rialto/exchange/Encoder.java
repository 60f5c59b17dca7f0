package dev.rialto.exchange;

import dev.rialto.exchange.codec.Codec;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.function.LongFunction;

/** The codec of an exchange, with the place where elements are before and after. */
final class Encoder {
  private final Codec codec;
  private final DType type;
  private final MemorySegment scratch;
  private final ErrorMeter errors;

  /**
   * Makes an encoder.
   *
   * @param longest the bytes of the longest message
   */
  Encoder(Codec codec, DType type, long longest, LongFunction<MemorySegment> allocator) {
    this.codec = codec;
    this.type = type;
    long bytes = Math.max(longest, 64);
    this.scratch = allocator.apply(bytes);
    this.errors = new ErrorMeter(codec, type, codec.lossless() ? 0 : bytes, allocator);
  }

  boolean fixedLength() {
    return codec.fixedLength();
  }

  long bound(long count) {
    return codec.bound(type, count);
  }

  MemorySegment scratch() {
    return scratch;
  }

  void reset() {
    errors.reset();
  }

  boolean onHost() {
    return codec.onHost();
  }

  long encode(long count, MemorySegment to, Staged staging) {
    MemorySegment target = codec.onHost() ? to : staging.writable(to, bound(count));
    long bytes = codec.encode(scratch, type, count, target);
    errors.measure(scratch, target, bytes, count);
    staging.written(target, to, bytes);
    return bytes;
  }

  void decode(MemorySegment from, long bytes, long count) {
    codec.decode(from, bytes, scratch, type, count);
  }

  double maxError() {
    return errors.max();
  }

  double rmsError() {
    return errors.rms();
  }
}
