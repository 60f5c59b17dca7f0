package dev.rialto.spi.copy;

import static dev.rialto.system.AddressSpace.MEMORY;

import java.nio.ByteOrder;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Copies elements of 16 bytes, one vector each. Loading four before storing them lets their misses
 * overlap. Loaded only where the incubating module is present.
 */
final class VectorLine {
  private static final VectorSpecies<Byte> PAIR = ByteVector.SPECIES_128;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  private VectorLine() {}

  static void copy(long from, long fromStride, long to, long toStride, long count) {
    long source = from;
    long target = to;
    long i = 0;
    for (; i + 4 <= count; i += 4) {
      ByteVector a = load(source);
      ByteVector b = load(source + fromStride);
      ByteVector c = load(source + 2 * fromStride);
      ByteVector d = load(source + 3 * fromStride);
      store(a, target);
      store(b, target + toStride);
      store(c, target + 2 * toStride);
      store(d, target + 3 * toStride);
      source += 4 * fromStride;
      target += 4 * toStride;
    }
    for (; i < count; i++) {
      store(load(source), target);
      source += fromStride;
      target += toStride;
    }
  }

  private static ByteVector load(long address) {
    return ByteVector.fromMemorySegment(PAIR, MEMORY, address, ORDER);
  }

  private static void store(ByteVector vector, long address) {
    vector.intoMemorySegment(MEMORY, address, ORDER);
  }
}
