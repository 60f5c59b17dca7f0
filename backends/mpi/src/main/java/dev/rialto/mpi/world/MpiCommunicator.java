package dev.rialto.mpi.world;

import dev.rialto.mpi.collective.CollectiveKind;
import dev.rialto.mpi.collective.MpiReductions;
import dev.rialto.mpi.collective.MpiTopology;
import dev.rialto.mpi.collective.Signature;
import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.library.Scratch;
import dev.rialto.mpi.message.BufferChecks;
import dev.rialto.mpi.watch.MpiCall;
import dev.rialto.mpi.window.WindowMaker;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.comm.Window;
import dev.rialto.spi.memory.MemorySpace;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.Optional;

/** A communicator of the MPI library. */
public final class MpiCommunicator extends MpiReductions {
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

  private final boolean isWorld;

  private MpiCommunicator(Job job, String name, long handle, boolean isWorld) {
    super(job, name, handle);
    this.isWorld = isWorld;
  }

  /** Makes the communicator of all ranks. */
  static MpiCommunicator world(Job job) {
    return new MpiCommunicator(job, "mpi/world", Mpi.COMM_WORLD, true);
  }

  @Override
  public boolean reaches(MemorySpace space) {
    return space.properties().hostAccessible()
        || (space.properties().deviceAccessible() && Gpus.TAKEN);
  }

  @Override
  public Request start(Collective collective) {
    return switch (collective) {
      case Collective.Barrier() -> barrier(false, CollectiveKind.BARRIER);
      case Collective.Broadcast it ->
          broadcast(false, it.buffer(), it.type(), it.count(), it.root());
      case Collective.Gather it ->
          gather(false, it.send(), it.receive(), it.type(), it.count(), it.root());
      case Collective.GatherV it ->
          gatherV(
              false,
              it.send(),
              it.sendCount(),
              it.receive(),
              it.counts(),
              it.displacements(),
              it.type(),
              it.root());
      case Collective.Scatter it ->
          scatter(false, it.send(), it.receive(), it.type(), it.count(), it.root());
      case Collective.ScatterV it ->
          scatterV(
              false,
              it.send(),
              it.counts(),
              it.displacements(),
              it.receive(),
              it.receiveCount(),
              it.type(),
              it.root());
      case Collective.AllGather it ->
          allGather(false, it.send(), it.receive(), it.type(), it.count());
      case Collective.AllGatherV it ->
          allGatherV(
              false,
              it.send(),
              it.sendCount(),
              it.receive(),
              it.counts(),
              it.displacements(),
              it.type());
      case Collective.AllToAll it ->
          allToAll(false, it.send(), it.receive(), it.type(), it.count());
      case Collective.AllToAllV it ->
          allToAllV(
              false,
              it.send(),
              it.sendCounts(),
              it.sendDisplacements(),
              it.receive(),
              it.receiveCounts(),
              it.receiveDisplacements(),
              it.type());
      case Collective.Reduce it ->
          reduce(false, it.send(), it.receive(), it.type(), it.count(), it.op(), it.root());
      case Collective.AllReduce it ->
          combine(
              Combination.ALL_REDUCE,
              false,
              it.send(),
              it.receive(),
              it.type(),
              it.count(),
              it.op());
      case Collective.Scan it ->
          combine(Combination.SCAN, false, it.send(), it.receive(), it.type(), it.count(), it.op());
      case Collective.Exscan it ->
          combine(
              Combination.EXSCAN, false, it.send(), it.receive(), it.type(), it.count(), it.op());
      case Collective.ReduceScatter it ->
          reduceScatter(false, it.send(), it.receive(), it.type(), it.counts(), it.op());
    };
  }

  @Override
  public Communicator dup() {
    agree(true, Signature.of(CollectiveKind.DUP, 0), 0);
    long out = Scratch.get().out();
    check(Native.call(Functions.DUP, handle(), out), new MpiCall("dup", 0));
    return made("dup", Mpi.getHandle(out));
  }

  @Override
  public Optional<Communicator> split(int color, int key) {
    long parent = handle();
    if (color < NO_COLOR) {
      throw new IllegalArgumentException(
          "color " + color + " is negative; give one from 0 up, or NO_COLOR for none");
    }
    agree(true, Signature.of(CollectiveKind.SPLIT, 0), 0);
    long out = Scratch.get().out();
    int its = color == NO_COLOR ? Mpi.CONSTANTS.undefined() : color;
    check(Native.call(Functions.SPLIT, parent, its, key, out), new MpiCall("split", 0));
    long part = Mpi.getHandle(out);
    return part == Mpi.COMM_NULL ? Optional.empty() : Optional.of(made("split " + color, part));
  }

  @Override
  public Communicator splitByNode() {
    agree(true, Signature.of(CollectiveKind.SPLIT_BY_NODE, 0), 0);
    return made("node", Job.splitByNode(handle()));
  }

  private MpiCommunicator made(String how, long handle) {
    Job.returnErrors(handle);
    return new MpiCommunicator(job(), name() + "/" + how, handle, false);
  }

  @Override
  public Topology topology(int[] sources, int[] targets) {
    handle();
    for (int source : sources) {
      Arguments.rank(source, size(), "source");
    }
    for (int target : targets) {
      Arguments.rank(target, size(), "target");
    }
    agreeOnEdges(
        true,
        CollectiveKind.TOPOLOGY,
        null,
        timesEach(targets, size()),
        timesEach(sources, size()),
        0);
    return MpiTopology.make(this, sources, targets);
  }

  /** Returns how often each rank is in a list. */
  private static long[] timesEach(int[] ranks, int size) {
    long[] times = new long[size];
    for (int rank : ranks) {
      times[rank]++;
    }
    return times;
  }

  @Override
  public Window window(MemorySegment memory) {
    handle();
    BufferChecks.usable(memory, memory.byteSize(), "memory");
    if (memory.byteSize() > 0) {
      Arguments.writable(memory, "memory");
    }
    return WindowMaker.over(this, memory);
  }

  @Override
  public Window allocateWindow(long bytes) {
    return WindowMaker.allocate(this, bytes, false);
  }

  @Override
  public Window sharedWindow(long bytes) {
    return WindowMaker.allocate(this, bytes, true);
  }

  @Override
  public Window dynamicWindow() {
    return WindowMaker.dynamic(this);
  }

  @Override
  public void abort(String reason) {
    job().abort(reason);
  }

  @Override
  public void close() {
    if (!isWorld) {
      super.close();
    }
  }
}
