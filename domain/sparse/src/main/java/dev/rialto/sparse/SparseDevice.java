package dev.rialto.sparse;

import dev.rialto.exchange.Exchange;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.Scheme;
import dev.rialto.exchange.kernel.DeviceKernels;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.ComputeStream;
import dev.rialto.runtime.Devices;
import dev.rialto.runtime.Resource;
import dev.rialto.sparse.device.DeviceVectors;
import dev.rialto.sparse.device.SparseKernels;
import dev.rialto.sparse.local.Csr;
import dev.rialto.sparse.local.Format;
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
 * A device that matrices and vectors live on, one per rank; several ranks may share a device.
 *
 * {@snippet :
 * try (SparseDevice gpu = SparseDevice.on(device, exchanger);
 *     DeviceMatrix there = gpu.matrix(a);
 *     MultiVector right = gpu.vector(b);
 *     MultiVector solution = there.vector()) {
 *   Method.CG.solve(there, Preconditioner.NONE, right, solution, SolveOptions.standard());
 *   x.copy(solution);
 * }
 * }
 *
 * <p>All work is in one stream. Vectors of a device are combined with vectors of the same one only;
 * {@link MultiVector#copy} goes from and to the host. Elements are F32 or F64, and nobody but their
 * owner has a copy of them. Used by one thread at a time; owned by the caller, who closes it after
 * what lives on it. Making and closing are collective.
 */
public final class SparseDevice implements AutoCloseable {
  /** More padding than this fraction of the entries makes rows cheaper than slices. */
  private static final double PADDING = 0.2;

  private static final int SLICE = 32;

  /** How halos travel between devices that are connected. */
  private static final Scheme CONNECTED = Scheme.parse("point-to-point");

  private final Device device;
  private final SparseKernels kernels;
  private final ComputeClient client;
  private final ComputeStream stream;
  private final DeviceKernels moves;
  private final Exchanger exchanger;

  private final HaloMemory halos = new HaloMemory(this::allocate);

  /** The memory of halos. */
  private final List<Resource> allocated = new ArrayList<>();

  private SparseDevice(ComputeClient client, Exchanger ranks) {
    this.client = client;
    this.device = client.device().spi();
    this.stream = client.openStream("sparse", 0);
    Deque<AutoCloseable> made = new ArrayDeque<>(List.of(stream));
    try {
      this.kernels = new SparseKernels(client.withStream(stream));
      made.push(kernels);
      this.moves = DeviceKernels.on(client, stream);
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
   * Makes a device ready. Collective.
   *
   * @param ranks a team's exchanger, which is closed after this
   * @throws UnsupportedOperationException if Java is not compiled for it
   */
  public static SparseDevice on(Device device, Exchanger ranks) {
    return on(Devices.of(device), ranks);
  }

  /** Makes a client's device ready, whose runtime gives memory and a stream. Collective. */
  static SparseDevice on(ComputeClient client, Exchanger ranks) {
    return new SparseDevice(client, ranks);
  }

  /** Returns the device. */
  public Device device() {
    return device;
  }

  /** Returns the launches of kernels. */
  SparseKernels kernels() {
    return kernels;
  }

  /** Returns the stream that all work is in. */
  public Stream stream() {
    return stream.timeline();
  }

  /**
   * Returns what adds numbers of all ranks on their devices, in the order of the stream; empty if
   * they cannot be connected. Collective the first time.
   */
  public Optional<DeviceCollectives> collectives() {
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

  /** Returns the memory of the halos of arrays here. */
  HaloMemory halos() {
    return halos;
  }

  /** Makes a copy on the device of a vector of the host. */
  public MultiVector vector(MultiVector host) {
    return new MultiVector(host.map(), host.type(), host.width(), this).copy(host);
  }

  /** Makes a copy on the device of a matrix, in the format that suits its rows. */
  public DeviceMatrix matrix(SparseMatrix host) {
    return matrix(host, format(host));
  }

  /** Returns the format that suits a matrix's rows. */
  static Format format(SparseMatrix host) {
    return padding(host.own()) > PADDING ? Format.CSR : Format.SELL;
  }

  /**
   * Makes a copy on the device of a matrix.
   *
   * @throws UnsupportedOperationException if the format is neither CSR nor SELL
   */
  public DeviceMatrix matrix(SparseMatrix host, Format format) {
    return new DeviceMatrix(this, false, host, format);
  }

  /** Returns how many places of slices would be empty for each entry. */
  private static double padding(Csr rows) {
    int[] starts = rows.starts();
    long places = 0;
    for (int first = 0; first < rows.rows(); first += SLICE) {
      int width = 0;
      for (int row = first; row < Math.min(rows.rows(), first + SLICE); row++) {
        width = Math.max(width, starts[row + 1] - starts[row]);
      }
      places += (long) width * SLICE;
    }
    return rows.entries() == 0 ? 0 : (double) places / rows.entries() - 1;
  }

  /** Copies bytes among vectors of this device and the host, after all work so far. */
  void copy(MemorySegment from, MemorySegment to, long bytes) {
    stream().await();
    device.transfer().copy(from, to, bytes);
  }

  @Override
  public void close() {
    exchanger.close();
    moves.close();
    kernels.close();
    stream.close();
    allocated.forEach(Resource::close);
  }
}
