package dev.rialto.exchange.codec;

import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * Turns elements into fewer bytes and back. Used by one thread at a time.
 *
 * <p>A codec that loses something says by how much at most: each element, or part of a complex one,
 * comes back within its bound.
 */
public interface Codec {
  /** Returns the name and bound as written in schemes, such as {@code zfp:1e-8}. */
  String name();

  /** Returns whether decoding gives back the very bits. */
  boolean lossless();

  /** Returns whether the encoded length depends on the number of elements only. */
  boolean fixedLength();

  /** Returns why elements of a type cannot be encoded; empty if they can. */
  Optional<String> refusal(DType type);

  /** Returns the most bytes that so many elements can become. */
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
}
