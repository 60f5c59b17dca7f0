package dev.rialto.mpi.window;

import dev.rialto.mpi.collective.CollectiveKind;
import dev.rialto.mpi.collective.Signature;
import dev.rialto.mpi.library.Errors;
import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.library.Scratch;
import dev.rialto.mpi.watch.MpiCall;
import dev.rialto.mpi.world.MpiGroup;
import dev.rialto.spi.comm.Collectives;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.system.HostMemory;
import java.io.File;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.stream.LongStream;

/**
 * Makes windows over the caller's memory and over the library's.
 *
 * <p>Memory that the library allocates comes with no promise of its alignment, so more is asked for
 * and each rank's start is told to all, with its size.
 *
 * @param group the ranks
 * @param collectives what they tell each other by
 */
public record WindowMaker(MpiGroup group, Collectives collectives) {
  private static final int ALIGNMENT = 64;

  /** Makes a window over memory of the caller's. */
  public CheckedWindow over(MemorySegment memory) {
    if (group.size() == 1) {
      return OwnWindow.over(group, memory, false);
    }
    group.agree(true, Signature.of(CollectiveKind.WINDOW, 0), memory.byteSize());
    long handle = create(memory);
    TakenTurns turns =
        Mpi.LIBRARY.faults().combinesOnlyInOwnMemory()
            ? new TakenTurns(group, create(memory))
            : null;
    WindowPlaces places = WindowPlaces.tell(group, collectives, memory.byteSize(), 0);
    MpiWindow made = new MpiWindow(group, handle, memory, places, null, false, turns);
    boolean closeable = HostMemory.confined(memory);
    return new CheckedWindow(group, made, memory, closeable, false, places.bytes());
  }

  private long create(MemorySegment memory) {
    long out = Scratch.get().out();
    long address = memory.byteSize() == 0 ? 0 : memory.address();
    int code =
        Native.call(
            WindowCalls.CREATE, address, memory.byteSize(), 1, Mpi.INFO_NULL, group.handle(), out);
    check(code, new MpiCall("window", memory.byteSize()));
    return Mpi.getHandle(out);
  }

  /** Makes a window to which memory is attached later. */
  public CheckedWindow dynamic() {
    if (group.size() == 1) {
      return OwnWindow.over(group, MemorySegment.NULL, true);
    }
    group.agree(true, Signature.of(CollectiveKind.DYNAMIC_WINDOW, 0), 0);
    long handle = createDynamic();
    TakenTurns turns =
        Mpi.LIBRARY.faults().combinesOnlyInOwnMemory()
            ? new TakenTurns(group, createDynamic())
            : null;
    WindowPlaces places = WindowPlaces.tell(group, collectives, Long.MAX_VALUE, 0);
    MemorySegment none = MemorySegment.NULL;
    MpiWindow made = new MpiWindow(group, handle, none, places, null, false, turns);
    return new CheckedWindow(group, made, none, false, true, places.bytes());
  }

  private long createDynamic() {
    long out = Scratch.get().out();
    int code = Native.call(WindowCalls.CREATE_DYNAMIC, Mpi.INFO_NULL, group.handle(), out);
    check(code, new MpiCall("dynamicWindow", 0));
    return Mpi.getHandle(out);
  }

  /**
   * Open MPI 4.1 reaches memory that it has not allocated by a system call that reads another
   * process's, or through UCX. Where neither is allowed it has no way, and calls the window
   * invalid.
   */
  private void check(int code, MpiCall operation) {
    if (code != 0) {
      throw new CommunicationException(
          String.valueOf(Errors.of(code, operation.toString(), "").getMessage()),
          group.where(),
          "use allocateWindow, whose memory is shared; or let ranks read each other's memory (in a"
              + " container with the capability SYS_PTRACE), or give Open MPI another way with"
              + " OMPI_MCA_osc=ucx,sm",
          null);
    }
  }

  /**
   * Refuses, on all ranks, more memory than ranks of one machine can share. Open MPI 4.1 finds that
   * out on one rank, which fails, and leaves the others waiting in the library.
   */
  private void refuseTooMuch(CollectiveKind kind, long bytes) {
    if (!group.job().oneNode()) {
      return;
    }
    long free = new File("/dev/shm").getUsableSpace();
    WindowPlaces asked = WindowPlaces.tell(group, collectives, bytes, free);
    double sum = LongStream.of(asked.bytes()).asDoubleStream().sum();
    long least = LongStream.of(asked.starts()).min().orElse(0);
    if (least > 0 && sum > least) {
      throw new CommunicationException(
          "%s of %d bytes: all ranks together ask for %.0f, and this machine has %d to share"
              .formatted(kind, bytes, sum, least),
          group.where(),
          "ask for less, or enlarge /dev/shm",
          null);
    }
  }

  /**
   * Makes a window over memory that the library allocates.
   *
   * @param shared whether all ranks can address it
   */
  public CheckedWindow allocate(long bytes, boolean shared) {
    long comm = group.handle();
    if (bytes < 0) {
      throw new IllegalArgumentException("a window of " + bytes + " bytes; give 0 or more");
    }
    CollectiveKind kind = shared ? CollectiveKind.SHARED_WINDOW : CollectiveKind.ALLOCATE_WINDOW;
    group.agree(true, Signature.of(kind, 0), bytes);
    refuseTooMuch(kind, bytes);
    long out = Scratch.get().out();
    long base = out + 8;
    // A multiple of the alignment: MPICH 4.0 misplaces what follows an odd size on another rank.
    long asked = (bytes + 2 * ALIGNMENT - 1) & -ALIGNMENT;
    int code =
        shared
            ? Native.call(WindowCalls.ALLOCATE_SHARED, asked, 1, Mpi.INFO_NULL, comm, base, out)
            : Native.call(WindowCalls.ALLOCATE, asked, 1, Mpi.INFO_NULL, comm, base, out);
    group.check(code, new MpiCall(kind.toString(), bytes));
    long first = Native.getLong(base);
    long start = -first & (ALIGNMENT - 1);
    Arena scope = Arena.ofShared();
    MemorySegment memory = Native.at(first + start, bytes, scope);
    memory.fill((byte) 0);
    long handle = Mpi.getHandle(out);
    WindowPlaces places = WindowPlaces.tell(group, collectives, bytes, start);
    MpiWindow made = new MpiWindow(group, handle, memory, places, scope, shared, null);
    return new CheckedWindow(group, made, memory, false, false, places.bytes());
  }
}
