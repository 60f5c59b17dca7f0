package dev.rialto.mpi.collective;

import dev.rialto.mpi.library.Datatypes;
import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.library.Scratch;
import dev.rialto.mpi.message.BufferChecks;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.data.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The counts and displacements of blocks as the library takes them, as ints.
 *
 * <p>They count elements. Where that would exceed an int they count the largest unit that all
 * counts and displacements are multiples of. The unit is one rank's own affair: only bytes have to
 * agree between ranks.
 *
 * @param counts the address of the counts
 * @param starts the address of the displacements
 * @param unit the datatype of what they count
 */
record BlockTable(long counts, long starts, long unit) {
  static final BlockTable NONE = new BlockTable(0, 0, Mpi.BYTE);

  /**
   * Returns memory for two tables of blocks: the thread's own for a call that waits, which has no
   * request, and else fresh.
   */
  static MemorySegment memory(long request, int parties) {
    long bytes = 2 * bytes(Math.max(parties, 1));
    return request == 0 ? Scratch.get().table(bytes) : Arena.ofAuto().allocate(bytes, 8);
  }

  private static long bytes(int parties) {
    return 8L * parties;
  }

  /** Checks blocks that are read; see {@link #write}. */
  static void readable(
      MemorySegment buffer, DType type, long[] counts, long[] starts, int parties, String role) {
    Arguments.blocks(buffer, type, counts, starts, parties, role);
    BufferChecks.usable(buffer, buffer.byteSize(), role);
  }

  /** Checks blocks that are written. */
  static void writable(
      MemorySegment buffer, DType type, long[] counts, long[] starts, int parties, String role) {
    Arguments.writtenBlocks(buffer, type, counts, starts, parties, role);
    readable(buffer, type, counts, starts, parties, role);
    for (long count : counts) {
      if (count > 0) {
        Arguments.writable(buffer, role);
        return;
      }
    }
  }

  /**
   * Writes the first table of {@link #memory}.
   *
   * @throws UnsupportedOperationException if no unit is large enough
   */
  static BlockTable first(MemorySegment memory, DType type, long[] counts, long[] starts) {
    return write(memory.address(), type, counts, starts);
  }

  /** Writes the second table, for as many parties as the first or after one of {@code parties}. */
  static BlockTable second(
      MemorySegment memory, int parties, DType type, long[] counts, long[] starts) {
    return write(memory.address() + bytes(parties), type, counts, starts);
  }

  private static BlockTable write(long address, DType type, long[] counts, long[] starts) {
    long most = 0;
    for (int i = 0; i < counts.length; i++) {
      most = Math.max(most, counts[i] == 0 ? 0 : Math.max(counts[i], starts[i]));
    }
    long unit = most <= Integer.MAX_VALUE ? 1 : commonUnit(counts, starts);
    if (most / unit > Integer.MAX_VALUE) {
      throw new UnsupportedOperationException(
          "blocks reach element "
              + most
              + " and have no common unit; MPI counts up to 2^31-1, so give even blocks");
    }
    for (int i = 0; i < counts.length; i++) {
      Native.putInt(address + 4L * i, (int) (counts[i] / unit));
      Native.putInt(
          address + 4L * (counts.length + i), counts[i] == 0 ? 0 : (int) (starts[i] / unit));
    }
    long block = unit == 1 ? Datatypes.element(type) : Datatypes.block(unit * type.size());
    return new BlockTable(address, address + 4L * counts.length, block);
  }

  private static long commonUnit(long[] counts, long[] starts) {
    long unit = 0;
    for (int i = 0; i < counts.length; i++) {
      if (counts[i] > 0) {
        unit = divisor(divisor(unit, counts[i]), starts[i]);
      }
    }
    return unit;
  }

  private static long divisor(long a, long b) {
    return b == 0 ? a : divisor(b, a % b);
  }
}
