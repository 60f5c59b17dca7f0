package dev.rialto.mpi.library;

import dev.rialto.spi.comm.Status;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Native memory of one thread that calls leave their results in, so that no call has to allocate.
 */
public final class Scratch {
  private static final ThreadLocal<Scratch> OF_THREAD = ThreadLocal.withInitial(Scratch::new);
  private static final long OUT = 64;
  private static final long FLAG = 128;
  private static final long REQUEST = 136;
  private static final long BYTES = 192;

  private final MemorySegment memory = Arena.ofAuto().allocate(BYTES, 64);
  private final long base = memory.address();
  private MemorySegment table = MemorySegment.NULL;
  private Status last = Status.EMPTY;

  /** Returns the calling thread's. */
  public static Scratch get() {
    return OF_THREAD.get();
  }

  public long status() {
    return base;
  }

  /** Returns the address of 64 bytes for whatever a function returns. */
  public long out() {
    return base + OUT;
  }

  /** Returns the address of an int that tells yes or no. */
  public long flag() {
    return base + FLAG;
  }

  /** Returns the address of a request's or a message's handle. */
  public long request() {
    return base + REQUEST;
  }

  /** Returns memory for tables, at least so many bytes, until the next call of this. */
  public MemorySegment table(long bytes) {
    if (table.byteSize() < bytes) {
      table = Arena.ofAuto().allocate(Math.max(bytes, 2 * table.byteSize()), 64);
    }
    return table;
  }

  /** Returns the source that the status holds. */
  public int source() {
    return Native.getInt(base + Mpi.LIBRARY.statusSource());
  }

  /** Returns the library's tag that the status holds. */
  public int tag() {
    return Native.getInt(base + Mpi.LIBRARY.statusSource() + 4);
  }

  /**
   * Returns what the status holds. The same message as the last one gives the same object, so a
   * loop over equal messages allocates nothing.
   *
   * @param mask the bits of the tag that are the caller's
   */
  public Status decoded(int mask) {
    int source = source();
    int tag = tag() & mask;
    long bytes = Mpi.LIBRARY.bytes(base);
    Status status = last;
    if (status.source() != source || status.tag() != tag || status.bytes() != bytes) {
      status = new Status(source, tag, bytes, false);
      last = status;
    }
    return status;
  }
}
