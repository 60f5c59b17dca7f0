package dev.rialto.exchange.codec;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Turns elements into fewer bytes and back. Used by one thread at a time.
 *
 * <p>A codec that loses something says by how much at most, and its user checks: a message of which
 * one number would not come back {@linkplain #keeps as promised} is sent as it is.
 */
public interface Codec {
  /** Returns the name and bound as written in schemes, such as {@code zfp:1e-8}. */
  String name();

  /** Returns whether decoding gives back the very bits. */
  boolean lossless();

  /**
   * Returns whether a message has always the length that its number of elements says. It cannot be
   * sent as it is then: numbers that would not come back as promised are an error.
   */
  boolean fixedLength();

  /**
   * Returns whether a finite number, or part of a complex one, comes back as promised. Any other
   * has to come back as it was.
   */
  boolean keeps(DType type, double number, double decoded);

  /** Returns why elements of a type cannot be encoded; empty if they can. */
  Optional<String> refusal(DType type);

  /**
   * Returns the most bytes that so many elements can become. Of a codec that loses something they
   * are fewer than the elements', or as many: then the elements are there as they were.
   */
  long bound(DType type, long count);

  /**
   * Encodes elements.
   *
   * @param to at least {@link #bound} bytes
   * @return the bytes they became
   */
  long encode(MemorySegment from, DType type, long count, MemorySegment to);

  /** Decodes what {@link #encode} made of as many elements. */
  void decode(MemorySegment from, long bytes, MemorySegment to, DType type, long count);

  /** Returns whether it works on memory that the host reads and writes, and at once. */
  default boolean onHost() {
    return true;
  }

  /**
   * Returns this codec for arrays of a device: with kernels in a stream, or as it is, where
   * messages go through memory that the host reads as well.
   */
  default Codec on(Device device, Stream stream) {
    return this;
  }

  /**
   * The distance of numbers from others.
   *
   * @param max the largest difference
   * @param squares the sum of the squares of all
   * @param kept whether each came back as promised
   */
  record Deviation(double max, double squares, boolean kept) {}

  /** Compares elements, or parts of complex ones, with what decoding gave. */
  default Deviation deviation(MemorySegment a, MemorySegment b, DType type, long count) {
    boolean wide = type == DType.F64 || type == DType.C128;
    int size = wide ? 8 : 4;
    double max = 0;
    double squares = 0;
    boolean kept = true;
    for (long at = 0; at < type.bytes(count); at += size) {
      double number = wide ? a.get(JAVA_DOUBLE_UNALIGNED, at) : a.get(JAVA_FLOAT_UNALIGNED, at);
      double decoded = wide ? b.get(JAVA_DOUBLE_UNALIGNED, at) : b.get(JAVA_FLOAT_UNALIGNED, at);
      if (Double.isFinite(number)) {
        kept &= keeps(type, number, decoded);
        double error = number - decoded;
        max = Math.max(max, Math.abs(error));
        squares += error * error;
      } else {
        kept &= Double.compare(number, decoded) == 0;
      }
    }
    return new Deviation(max, squares, kept);
  }
}
