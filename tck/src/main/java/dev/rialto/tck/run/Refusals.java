package dev.rialto.tck.run;

import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.PointToPoint.SendMode;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.device.Device;
import dev.rialto.tck.reference.RankMemory;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.function.Executable;

/**
 * For each capability, an operation that must be refused where it is not declared.
 *
 * <p>Being thread-safe and telling mistakes apart are promises, not operations: there is nothing to
 * refuse.
 */
public final class Refusals {
  private static final Set<Capability> OF_PROVIDERS =
      EnumSet.range(Capability.MEMORY, Capability.FFT);
  private static final MemorySegment NONE = MemorySegment.NULL;
  private static final int[] NOBODY = {};

  private Refusals() {}

  /** Returns whether communicators have this capability, so that it takes ranks to check. */
  public static boolean ofCommunicators(Capability capability) {
    return !OF_PROVIDERS.contains(capability);
  }

  /** Checks that the backend, which does not declare {@code capability}, refuses to use it. */
  public static void check(Capability capability, Trial trial) {
    BackendProvider backend = trial.backend();
    switch (capability) {
      case MEMORY -> devices(capability, backend, Device::memory);
      case TRANSFER -> devices(capability, backend, Device::transfer);
      case EXECUTOR -> refused(capability, () -> backend.openExecutor(1).close());
      case STREAMS -> devices(capability, backend, device -> device.openStream(0));
      case KERNELS -> devices(capability, backend, Device::compiler);
      case FFT -> refused(capability, backend::fftEngine);
      default -> {
        if (backend.capabilities().stream().anyMatch(Refusals::ofCommunicators)) {
          trial.ranks().run(1, Integer.MAX_VALUE, comm -> ofCommunicator(capability, comm));
        } else {
          refused(capability, () -> backend.openWorld(1).close());
        }
      }
    }
  }

  private static void devices(
      Capability capability, BackendProvider backend, Function<Device, Object> part) {
    backend.devices().forEach(device -> refused(capability, () -> part.apply(device)));
  }

  private static void ofCommunicator(Capability capability, Communicator comm) throws Exception {
    DType type = DType.I8;
    int self = comm.rank();
    switch (capability) {
      case POINT_TO_POINT -> refused(capability, () -> comm.send(NONE, type, 0, self, 0));
      case SEND_MODES ->
          refused(capability, () -> comm.send(NONE, type, 0, self, 0, SendMode.SYNCHRONOUS));
      case NON_BLOCKING -> refused(capability, () -> comm.isend(NONE, type, 0, self, 0));
      case PERSISTENT ->
          refused(
              capability,
              () -> comm.persistentSend(NONE, type, 0, self, 0, SendMode.STANDARD).close());
      case PROBE ->
          refused(capability, () -> comm.iprobe(PointToPoint.ANY_SOURCE, PointToPoint.ANY_TAG));
      case MATCHED_PROBE ->
          refused(
              capability, () -> comm.imatchedProbe(PointToPoint.ANY_SOURCE, PointToPoint.ANY_TAG));
      case CANCEL -> cancel(comm);
      case LAYOUTS ->
          refused(capability, () -> comm.isend(NONE, Layout.contiguous(type, 0), self, 0));
      case HEAP_BUFFERS -> {
        MemorySegment heap = MemorySegment.ofArray(new byte[1]);
        refused(capability, () -> comm.send(heap, type, 1, self, 0));
      }
      case LARGE_COUNTS -> largeCount(comm);
      case COLLECTIVES -> refused(capability, comm::barrier);
      case NON_BLOCKING_COLLECTIVES ->
          refused(capability, () -> comm.start(new Collective.Barrier()));
      case PERSISTENT_COLLECTIVES ->
          refused(capability, () -> comm.prepare(new Collective.AllToAll(NONE, NONE, type, 0)));
      case REDUCTIONS ->
          refused(capability, () -> comm.allReduce(NONE, NONE, type, 0, ReduceOp.SUM));
      case USER_OPERATORS -> {
        ReduceOp user = ReduceOp.user("left", false, (_, _, _, _) -> {});
        refused(capability, () -> comm.allReduce(NONE, NONE, type, 0, user));
      }
      case HALF_REDUCTIONS ->
          refused(capability, () -> comm.allReduce(NONE, NONE, DType.F16, 0, ReduceOp.SUM));
      case NEIGHBORHOODS -> refused(capability, () -> comm.topology(NOBODY, NOBODY).close());
      case NON_BLOCKING_NEIGHBORHOODS ->
          refused(
              capability,
              () -> {
                try (Topology topology = comm.topology(NOBODY, NOBODY)) {
                  topology.start(new Collective.AllGather(NONE, NONE, type, 0)).await();
                }
              });
      case PERSISTENT_NEIGHBORHOODS ->
          refused(
              capability,
              () -> {
                try (Topology topology = comm.topology(NOBODY, NOBODY)) {
                  topology.prepare(new Collective.AllGather(NONE, NONE, type, 0)).close();
                }
              });
      case WINDOWS -> refused(capability, () -> comm.allocateWindow(0).close());
      case SHARED_WINDOWS -> refused(capability, () -> comm.sharedWindow(0).close());
      case DYNAMIC_WINDOWS -> refused(capability, () -> comm.dynamicWindow().close());
      case SPLIT -> refused(capability, () -> comm.dup().close());
      case NODE_SPLIT -> refused(capability, () -> comm.splitByNode().close());
      case MULTI_THREADED,
          INTACT_TRUNCATION,
          MESSAGE_TYPES,
          MISMATCH_DETECTION,
          DEADLOCK_DETECTION,
          FAILURE_NOTICE -> {}
      case MEMORY, TRANSFER, EXECUTOR, STREAMS, KERNELS, FFT ->
          throw new IllegalArgumentException(capability + " is not of communicators");
    }
  }

  private static void cancel(Communicator comm) {
    if (!comm.capabilities().contains(Capability.NON_BLOCKING)) {
      return;
    }
    Request receive = comm.ireceive(NONE, DType.I8, 0, comm.rank(), 0);
    refused(Capability.CANCEL, receive::cancel);
    comm.isend(NONE, DType.I8, 0, comm.rank(), 0).await();
    receive.await();
  }

  private static void largeCount(Communicator comm) {
    long count = 1L << 31;
    try (RankMemory memory = new RankMemory()) {
      MemorySegment buffer = memory.untouched(count);
      refused(Capability.LARGE_COUNTS, () -> comm.send(buffer, DType.I8, count, comm.rank(), 0));
    }
  }

  private static void refused(Capability capability, Executable operation) {
    assertThrows(
        UnsupportedOperationException.class,
        operation,
        () -> capability + " is not declared, so using it must be refused");
  }
}
