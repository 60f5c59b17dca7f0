package dev.rialto.exchange;

import dev.rialto.exchange.codec.Codec;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.function.LongFunction;

/**
 * The codec of an exchange, with the place where elements are before and after.
 *
 * <p>A message of which a number would not come back as the codec promises is sent as it is. It is
 * told from an encoded one by its length, that of its elements: encoded ones are shorter.
 */
final class Encoder {
  private final Codec codec;
  private final DType type;
  private final MemorySegment scratch;
  private final ErrorMeter errors;
  private int raw;

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

  private boolean maySendRaw() {
    return !codec.lossless() && !codec.fixedLength();
  }

  long bound(long count) {
    long encoded = codec.bound(type, count);
    return maySendRaw() ? Math.max(encoded, type.bytes(count)) : encoded;
  }

  MemorySegment scratch() {
    return scratch;
  }

  void reset() {
    raw = 0;
    errors.reset();
  }

  boolean onHost() {
    return codec.onHost();
  }

  long encode(long count, MemorySegment to, Staged staging) {
    MemorySegment target = codec.onHost() ? to : staging.writable(to, bound(count));
    long whole = type.bytes(count);
    long bytes = codec.encode(scratch, type, count, target);
    if (!errors.measure(scratch, target, bytes, count)) {
      if (!maySendRaw()) {
        throw new IllegalStateException(
            "%s does not keep its bound for numbers of this run, and messages of a device have one length; choose another codec, or none"
                .formatted(codec.name()));
      }
      MemorySegment.copy(scratch, 0, target, 0, whole);
      bytes = whole;
    }
    raw += maySendRaw() && bytes == whole ? 1 : 0;
    staging.written(target, to, bytes);
    return bytes;
  }

  void decode(MemorySegment from, long bytes, long count) {
    if (maySendRaw() && bytes == type.bytes(count)) {
      MemorySegment.copy(from, 0, scratch, 0, bytes);
    } else {
      codec.decode(from, bytes, scratch, type, count);
    }
  }

  /** Returns how many messages of this run are sent as they are. */
  int raw() {
    return raw;
  }

  double maxError() {
    return errors.max();
  }

  double rmsError() {
    return errors.rms();
  }
}
