package dev.rialto.exchange.codec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;

import dev.rialto.spi.data.DType;
import io.airlift.compress.v3.Compressor;
import io.airlift.compress.v3.Decompressor;
import io.airlift.compress.v3.lz4.Lz4JavaCompressor;
import io.airlift.compress.v3.lz4.Lz4JavaDecompressor;
import io.airlift.compress.v3.zstd.ZstdJavaCompressor;
import io.airlift.compress.v3.zstd.ZstdJavaDecompressor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * A lossless codec behind a byte shuffle.
 *
 * <p>Neighbouring numbers have similar exponents and unlike last digits. Putting all first bytes
 * together, then all second ones, makes runs that a general compressor finds. Elements are taken in
 * chunks that fit the second-level cache; a chunk that does not get shorter is sent as it is, so a
 * message is never much longer than its elements.
 */
final class Shuffled implements Codec {
  private static final int CHUNK = 128 << 10;

  /** Before each chunk: its length, negative if it is as it was. */
  private static final int HEADER = Integer.BYTES;

  private final String name;
  private final Compressor compressor;
  private final Decompressor decompressor;
  private final Arena arena = Arena.ofAuto();
  private final MemorySegment shuffled = arena.allocate(CHUNK, 64);
  private final MemorySegment packed;

  private Shuffled(String name, Compressor compressor, Decompressor decompressor) {
    this.name = name;
    this.compressor = compressor;
    this.decompressor = decompressor;
    this.packed = arena.allocate(compressor.maxCompressedLength(CHUNK), 64);
  }

  static Shuffled lz4(String bound) {
    requireNoBound("lz4", bound);
    return new Shuffled("lz4", new Lz4JavaCompressor(), new Lz4JavaDecompressor());
  }

  static Shuffled zstd(String bound) {
    requireNoBound("zstd", bound);
    return new Shuffled("zstd", new ZstdJavaCompressor(), new ZstdJavaDecompressor());
  }

  private static void requireNoBound(String name, String bound) {
    if (!bound.isEmpty()) {
      throw new IllegalArgumentException(name + " loses nothing; leave ':" + bound + "' out");
    }
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public boolean lossless() {
    return true;
  }

  @Override
  public boolean fixedLength() {
    return false;
  }

  @Override
  public boolean keeps(DType type, double number, double decoded) {
    return number == decoded;
  }

  @Override
  public Optional<String> refusal(DType type) {
    return Optional.empty();
  }

  @Override
  public long bound(DType type, long count) {
    long bytes = type.bytes(count);
    return bytes + HEADER * ((bytes + CHUNK - 1) / CHUNK);
  }

  @Override
  public long encode(MemorySegment from, DType type, long count, MemorySegment to) {
    long bytes = type.bytes(count);
    long at = 0;
    for (long done = 0; done < bytes; done += CHUNK) {
      int length = (int) Math.min(CHUNK, bytes - done);
      shuffle(from, done, length, type.size());
      int shorter = compressor.compress(shuffled.asSlice(0, length), packed);
      boolean pays = shorter < length;
      to.set(JAVA_INT_UNALIGNED, at, pays ? shorter : -length);
      at += HEADER;
      if (pays) {
        MemorySegment.copy(packed, 0, to, at, shorter);
      } else {
        MemorySegment.copy(from, done, to, at, length);
      }
      at += pays ? shorter : length;
    }
    return at;
  }

  @Override
  public void decode(MemorySegment from, long bytes, MemorySegment to, DType type, long count) {
    long total = type.bytes(count);
    long at = 0;
    for (long done = 0; done < total; done += CHUNK) {
      int length = (int) Math.min(CHUNK, total - done);
      int shorter = from.get(JAVA_INT_UNALIGNED, at);
      at += HEADER;
      if (shorter < 0) {
        MemorySegment.copy(from, at, to, done, length);
        at += length;
      } else {
        int _ = decompressor.decompress(from.asSlice(at, shorter), shuffled.asSlice(0, length));
        restore(to, done, length, type.size());
        at += shorter;
      }
    }
  }

  private void shuffle(MemorySegment from, long offset, int length, int size) {
    int count = length / size;
    for (int part = 0; part < size; part++) {
      for (int i = 0; i < count; i++) {
        shuffled.set(
            JAVA_BYTE,
            (long) part * count + i,
            from.get(JAVA_BYTE, offset + (long) i * size + part));
      }
    }
  }

  private void restore(MemorySegment to, long offset, int length, int size) {
    int count = length / size;
    for (int part = 0; part < size; part++) {
      for (int i = 0; i < count; i++) {
        to.set(
            JAVA_BYTE,
            offset + (long) i * size + part,
            shuffled.get(JAVA_BYTE, (long) part * count + i));
      }
    }
  }
}
