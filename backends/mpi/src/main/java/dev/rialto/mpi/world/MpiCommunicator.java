package dev.rialto.mpi.world;

import dev.rialto.mpi.collective.CollectiveKind;
import dev.rialto.mpi.collective.MpiCollectives;
import dev.rialto.mpi.collective.MpiTopology;
import dev.rialto.mpi.collective.Signature;
import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.library.Scratch;
import dev.rialto.mpi.message.BufferChecks;
import dev.rialto.mpi.message.MpiMessages;
import dev.rialto.mpi.watch.MpiCall;
import dev.rialto.mpi.window.WindowMaker;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.spi.parts.messages.ComposedCommunicator;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/** A communicator of the MPI library, put together from its parts. */
public final class MpiCommunicator extends ComposedCommunicator {
  private static final class Functions {
    static final MethodHandle DUP = Mpi.function("MPI_Comm_dup", "hp");
    static final MethodHandle SPLIT = Mpi.function("MPI_Comm_split", "hiip");
  }

  /** Whether the library says that it takes memory of GPUs; asked once. */
  private static final class Gpus {
    static final boolean TAKEN = ask();

    /** Open MPI's function returns the answer, MPICH's leaves it for its kind of GPU 0, CUDA. */
    private static boolean ask() {
      return Mpi.optional("", "MPIX_Query_cuda_support")
          .map(function -> Native.call(function) == 1)
          .or(
              () ->
                  Mpi.optional("ip", "MPIX_GPU_query_support")
                      .map(
                          function -> {
                            long out = Scratch.get().out();
                            Native.putInt(out, 0);
                            return Native.call(function, 0, out) == 0 && Native.getInt(out) != 0;
                          }))
          .orElse(false);
    }
  }

  /** Returns whether buffers may lie where the host has no access. */
  public static boolean takesGpuMemory() {
    return Gpus.TAKEN;
  }

  private final MpiGroup group;
  private final MpiCollectives collectives;
  private final WindowMaker windows;
  private final boolean isWorld;

  private MpiCommunicator(MpiGroup group, MpiCollectives collectives, boolean isWorld) {
    super(new MpiMessages(group), collectives);
    this.group = group;
    this.collectives = collectives;
    this.windows = new WindowMaker(group, collectives);
    this.isWorld = isWorld;
  }

  private static MpiCommunicator of(
      Job job, String name, long handle, boolean isWorld, AtomicBoolean worldClosed) {
    MpiGroup group = new MpiGroup(job, name, handle, worldClosed);
    return new MpiCommunicator(group, new MpiCollectives(group), isWorld);
  }

  static MpiCommunicator world(Job job) {
    return of(job, "mpi/world", Mpi.COMM_WORLD, true, new AtomicBoolean());
  }

  /** Closes what was left open, and waits for all ranks to close their world. */
  void barrierAtClose() {
    group.job().closeWindows(group);
    collectives.barrierAtClose();
  }

  /** Refuses every later use of this communicator and of those made from it. */
  void closeWorld() {
    group.worldClosed().set(true);
  }

  @Override
  public boolean reaches(MemorySpace space) {
    return space.properties().hostAccessible()
        || (space.properties().deviceAccessible() && Gpus.TAKEN);
  }

  @Override
  public Communicator dup() {
    group.agree(true, Signature.of(CollectiveKind.DUP, 0), 0);
    long out = Scratch.get().out();
    group.check(Native.call(Functions.DUP, group.handle(), out), new MpiCall("dup", 0));
    return made("dup", Mpi.getHandle(out));
  }

  @Override
  public Optional<Communicator> split(int color, int key) {
    long parent = group.handle();
    if (color < NO_COLOR) {
      throw new IllegalArgumentException(
          "color " + color + " is negative; give one from 0 up, or NO_COLOR for none");
    }
    group.agree(true, Signature.of(CollectiveKind.SPLIT, 0), 0);
    long out = Scratch.get().out();
    int its = color == NO_COLOR ? Mpi.CONSTANTS.undefined() : color;
    group.check(Native.call(Functions.SPLIT, parent, its, key, out), new MpiCall("split", 0));
    long part = Mpi.getHandle(out);
    return part == Mpi.COMM_NULL ? Optional.empty() : Optional.of(made("split " + color, part));
  }

  @Override
  public Communicator splitByNode() {
    group.agree(true, Signature.of(CollectiveKind.SPLIT_BY_NODE, 0), 0);
    return made("node", Job.splitByNode(group.handle()));
  }

  private MpiCommunicator made(String how, long handle) {
    Job.returnErrors(handle);
    return of(group.job(), name() + "/" + how, handle, false, group.worldClosed());
  }

  @Override
  public void allReduce(
      MemorySegment send, MemorySegment receive, DType type, long count, ReduceOp op) {
    collectives.allReduce(send, receive, type, count, op);
  }

  @Override
  public Topology topology(int[] sources, int[] targets) {
    return MpiTopology.make(group, collectives, sources, targets);
  }

  @Override
  public Window window(MemorySegment memory) {
    group.handle();
    BufferChecks.usable(memory, memory.byteSize(), "memory");
    if (memory.byteSize() > 0) {
      Arguments.writable(memory, "memory");
    }
    return windows.over(memory);
  }

  @Override
  public Window allocateWindow(long bytes) {
    return windows.allocate(bytes, false);
  }

  @Override
  public Window sharedWindow(long bytes) {
    return windows.allocate(bytes, true);
  }

  @Override
  public Window dynamicWindow() {
    return windows.dynamic();
  }

  @Override
  public void whenReturned(Runnable closing) {
    group.job().left().add(this, closing);
  }

  @Override
  public void settle() {
    group.job().left().settle(this);
  }

  @Override
  public void abort(String reason) {
    group.job().abort(reason);
  }

  @Override
  public void close() {
    if (!isWorld) {
      group.close();
    }
  }
}
