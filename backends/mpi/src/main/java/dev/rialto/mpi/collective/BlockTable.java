package dev.rialto.mpi.collective;

import dev.rialto.mpi.library.Datatypes;
import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.library.Scratch;
import dev.rialto.mpi.message.BufferChecks;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.Collective;
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

  /** Checks the buffer for a block of each source, whose elements are as many. */
  static void receivable(Collective.AlongEdges it, long sent, long count, int sources) {
    long all = Arguments.blocks(it.type(), count, sources);
    long received = BufferChecks.writable(it.receive(), it.type(), all, "receive");
    Arguments.disjoint(it.send(), sent, it.receive(), received);
  }

  /** Checks equal blocks, and returns the bytes of one. */
  static long check(Collective.AllToAll it, int sources, int targets) {
    long all = Arguments.blocks(it.type(), it.count(), targets);
    long sent = BufferChecks.readable(it.send(), it.type(), all, "send");
    receivable(it, sent, it.count(), sources);
    return it.type().bytes(it.count());
  }

  static void check(Collective.AllToAllV it, int sources, int targets) {
    readable(it.send(), it.type(), it.sendCounts(), it.sendDisplacements(), targets, "send");
    writable(
        it.receive(), it.type(), it.receiveCounts(), it.receiveDisplacements(), sources, "receive");
    it.refuseOverlapAlong(sources, targets);
  }

  /** Writes what is sent into the first table of {@link #memory}. */
  static BlockTable sent(MemorySegment memory, Collective.AllToAllV it) {
    return first(memory, it.type(), it.sendCounts(), it.sendDisplacements());
  }

  /** Writes what is received into the table after one of so many parties. */
  static BlockTable received(MemorySegment memory, int parties, Collective.AllToAllV it) {
    return write(
        memory.address() + bytes(parties),
        it.type(),
        it.receiveCounts(),
        it.receiveDisplacements());
  }

  /**
   * Writes the first table of {@link #memory}.
   *
   * @throws UnsupportedOperationException if no unit is large enough
   */
  static BlockTable first(MemorySegment memory, DType type, long[] counts, long[] starts) {
    return write(memory.address(), type, counts, starts);
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
