package dev.rialto.sparse;

import dev.rialto.array.Array;
import dev.rialto.array.IndexSpace;
import dev.rialto.array.Team;
import dev.rialto.exchange.Exchange;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.Scheme;
import dev.rialto.exchange.kernel.DevicePacking;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.ComputeStream;
import dev.rialto.runtime.Resource;
import dev.rialto.sparse.device.ArrayLoans;
import dev.rialto.sparse.device.DeviceVectors;
import dev.rialto.sparse.device.SparseKernels;
import dev.rialto.sparse.local.VectorKernels;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.device.DeviceCollectives;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;

/**
 * The stream, kernels and exchanger of a device for a team's sparse matrices and their arrays. All
 * work is in one stream. Kept by the team and closed with it, which is collective, as making is.
 */
final class SparseDevice implements AutoCloseable {
  private static final Scheme CONNECTED = Scheme.parse("point-to-point");

  private final Device device;
  private final SparseKernels kernels;
  private final ComputeClient client;
  private final ComputeStream stream;
  private final DevicePacking moves;
  private final Exchanger exchanger;

  private final HaloMemory halos = new HaloMemory(this::allocate);

  /** The memory of halos. */
  private final List<Resource> allocated = new ArrayList<>();

  /** The matrices that are open, the last first. */
  private final Deque<DeviceMatrix> matrices = new ArrayDeque<>();

  private final ArrayLoans loans;

  private SparseDevice(ComputeClient client, Exchanger ranks) {
    this.client = client;
    this.device = client.device().spi();
    this.stream = client.openStream("sparse", 0);
    this.loans = new ArrayLoans(stream.timeline());
    Deque<AutoCloseable> made = new ArrayDeque<>(List.of(stream));
    try {
      this.kernels = new SparseKernels(client.withStream(stream));
      made.push(kernels);
      this.moves = DevicePacking.on(client, stream);
      made.push(moves);
      this.exchanger = ranks.with(moves);
    } catch (RuntimeException | Error e) {
      closeAll(made, e);
      throw e;
    }
  }

  /** Gives back what was made before something failed. */
  private static void closeAll(Deque<AutoCloseable> made, Throwable cause) {
    for (AutoCloseable each : made) {
      try {
        each.close();
      } catch (Exception e) {
        cause.addSuppressed(e);
      }
    }
  }

  /**
   * Returns that of the device that arrays of a space are on. Collective the first time.
   *
   * @throws UnsupportedOperationException if Java is not compiled for it, or it is the host
   */
  static SparseDevice of(IndexSpace space) {
    ComputeClient client = space.client();
    if (client.device().isHostAccessible()) {
      throw new UnsupportedOperationException(
          "a copy of a matrix for arrays of %s, on the host; use the matrix itself"
              .formatted(space));
    }
    Team team = space.team();
    return team.kept(
        SparseDevice.class, client.device(), () -> new SparseDevice(client, team.exchanger()));
  }

  boolean has(Array array) {
    return array.isOnDevice() && array.space().client().device() == client.device();
  }

  /** Returns the arrays that the stream has for itself. */
  ArrayLoans loans() {
    return loans;
  }

  /** Closes a matrix with this, unless it is forgotten before. */
  void keep(DeviceMatrix made) {
    matrices.push(made);
  }

  void forget(DeviceMatrix closed) {
    matrices.remove(closed);
  }

  Device device() {
    return device;
  }

  SparseKernels kernels() {
    return kernels;
  }

  Stream stream() {
    return stream.timeline();
  }

  /**
   * Returns what adds numbers of all ranks on their devices, in the order of the stream; empty if
   * they cannot be connected. Collective the first time.
   */
  Optional<DeviceCollectives> collectives() {
    return exchanger.collectives();
  }

  /** Makes an exchange of vectors; between devices that are connected it needs no host. */
  Exchange exchange(ExchangePlan plan, DType type) {
    Exchange exchange = exchanger.exchange(plan, type);
    if (collectives().isPresent()) {
      exchange.scheme(CONNECTED);
    }
    return exchange;
  }

  VectorKernels vectors(DType type) {
    return new DeviceVectors(kernels, type);
  }

  /** Takes memory of the device from the runtime. */
  Resource lend(long bytes) {
    return client.lend("sparse", bytes);
  }

  private MemorySegment allocate(long bytes) {
    Resource made = lend(bytes);
    allocated.add(made);
    return made.segment();
  }

  HaloMemory halos() {
    return halos;
  }

  @Override
  public void close() {
    List.copyOf(matrices).forEach(DeviceMatrix::close);
    exchanger.close();
    moves.close();
    kernels.close();
    stream.close();
    allocated.forEach(Resource::close);
  }
}
