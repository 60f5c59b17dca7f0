package dev.rialto.tck.comm;

import dev.rialto.spi.data.DType;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.util.function.IntToLongFunction;

/**
 * The places of the blocks of a buffer, one per party.
 *
 * @param counts the elements of each block
 * @param displacements where each starts, in elements
 * @param total the elements of a buffer that holds them all
 */
@SuppressWarnings("ArrayRecordComponent") // Made to be handed to collectives; never compared.
record Blocks(long[] counts, long[] displacements, long total) {
  /** Lays blocks of one length out in order and without gaps. */
  static Blocks uniform(int parties, long count) {
    long[] counts = new long[parties];
    long[] displacements = new long[parties];
    for (int i = 0; i < parties; i++) {
      counts[i] = count;
      displacements[i] = i * count;
    }
    return new Blocks(counts, displacements, parties * count);
  }

  /** Makes a buffer whose block {@code i} has the pattern of {@code key(i)}, the rest blank. */
  MemorySegment filled(RankMemory memory, DType type, IntToLongFunction key) {
    MemorySegment buffer = memory.blank(type, total);
    for (int i = 0; i < counts.length; i++) {
      RankMemory.write(
          key.applyAsLong(i), buffer.asSlice(type.bytes(displacements[i]), type.bytes(counts[i])));
    }
    return buffer;
  }
}
