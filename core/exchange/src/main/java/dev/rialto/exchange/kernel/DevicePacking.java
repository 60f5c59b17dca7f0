package dev.rialto.exchange.kernel;

import dev.rialto.exchange.codec.Codec;
import dev.rialto.exchange.plan.Region;
import dev.rialto.exchange.transport.DevicePeers;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.ComputeStream;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.ArrayKernels;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.device.Device.MemorySharing;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.spi.memory.MemorySpace;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import org.jspecify.annotations.Nullable;

/**
 * The kernels of a device's memory, in order with whatever else is on a stream.
 *
 * <p>Messages are packed straight into memory that their transport can read: the device's own if
 * devices are connected or the communicator takes that, else pinned memory, which kernels of the
 * device write across the bus. What a kernel needs on the device stays there until this is closed.
 * A device without kernels for exchanges copies by its transfers.
 */
public final class DevicePacking implements ExchangeKernels, AutoCloseable {
  private final ComputeClient client;
  private final Device device;
  private final ArrayKernels kernels;
  private final Stream stream;
  private final @Nullable ComputeStream owned;
  private final List<ArrayKernels.Prepared> prepared = new ArrayList<>();

  /**
   * The memory that was allocated here, by address: everything else of the host is out of reach.
   */
  private final ConcurrentSkipListMap<Long, Buffer> allocated = new ConcurrentSkipListMap<>();

  /** Memory that was allocated here. */
  private record Buffer(long bytes, boolean forHost, MemorySegment segment) {}

  private DevicePacking(ComputeClient client, ComputeStream stream, boolean owns) {
    this.client = client;
    this.device = client.device().spi();
    this.stream = stream.timeline();
    this.owned = owns ? stream : null;
    this.kernels =
        device.arrays().orElseGet(() -> new TransferKernels(device, this::asTransferred));
  }

  /** Makes kernels in a stream of their own; close them after the exchanger that uses them. */
  public static DevicePacking on(ComputeClient client) {
    return new DevicePacking(client, client.openStream("exchange", 0), true);
  }

  /** Makes kernels that come after everything in a stream, which stays the caller's. */
  public static DevicePacking on(ComputeClient client, ComputeStream stream) {
    return new DevicePacking(client, stream, false);
  }

  /** Returns the device. */
  public Device device() {
    return device;
  }

  private Kernel ready(ArrayKernels.Prepared kernel) {
    prepared.add(kernel);
    return (from, to) -> kernel.run(from, to, stream);
  }

  @Override
  public Kernel move(DType type, Region from, Region to, boolean add) {
    return ready(kernels.move(from.layout(type), to.layout(type), add));
  }

  @Override
  public Kernel scale(DType type, Region region, double factor) {
    return ready(kernels.scale(region.layout(type), factor));
  }

  /** Takes arrays of the device and of its staging memory. */
  @Override
  public void check(MemorySegment memory, long bytes, boolean written, String role) {
    if (bytes == 0) {
      return;
    }
    MemorySpace space = memory.byteSize() == 0 ? device.memory() : device.staging();
    Allocation owner;
    try {
      owner = space.owner(memory);
    } catch (RuntimeException e) {
      throw new IllegalArgumentException(
          "%s is memory that %s does not reach; give memory that it allocated"
              .formatted(role, device.name()),
          e);
    }
    long room = owner.segment().address() + owner.bytes() - memory.address();
    if (room < bytes) {
      throw new IndexOutOfBoundsException(
          "%s has %d bytes, but the plan needs %d".formatted(role, room, bytes));
    }
  }

  @Override
  public void finish() {
    stream.await();
  }

  @Override
  public boolean onHost() {
    return false;
  }

  @Override
  public boolean usableBy(Communicator comm) {
    return comm.reaches(device.memory());
  }

  @Override
  public boolean reaches(MemorySegment buffer) {
    Map.Entry<Long, Buffer> below = allocated.floorEntry(buffer.address());
    return below != null && buffer.address() - below.getKey() < below.getValue().bytes();
  }

  /** Returns memory with a size if it is staging memory of these kernels, else without. */
  private MemorySegment asTransferred(MemorySegment memory) {
    Map.Entry<Long, Buffer> below = allocated.floorEntry(memory.address());
    if (below != null && below.getValue().forHost()) {
      long offset = memory.address() - below.getKey();
      if (offset < below.getValue().bytes()) {
        return below.getValue().segment().asSlice(offset);
      }
    }
    return MemorySegment.ofAddress(memory.address());
  }

  /** Gives a device's memory a size: for communicators, which check it and do not look inside. */
  @Override
  @SuppressWarnings("restricted")
  public MemorySegment part(MemorySegment memory, long offset, long bytes) {
    return MemorySegment.ofAddress(memory.address() + offset).reinterpret(bytes);
  }

  @Override
  public MemorySegment allocate(long bytes, boolean forHost, Arena arena) {
    long[] address = {0};
    MemorySegment memory =
        LentMemory.of(client, bytes, forHost, arena, () -> allocated.remove(address[0]));
    address[0] = memory.address();
    allocated.put(address[0], new Buffer(bytes, forHost, part(memory, 0, bytes)));
    return memory;
  }

  /** Returns it as the device gives its memory: an address without a size. */
  @Override
  public MemorySegment array(long bytes, Arena arena) {
    return MemorySegment.ofAddress(allocate(bytes, false, arena).address());
  }

  @Override
  public Optional<MemorySharing> sharing() {
    return device.sharing();
  }

  @Override
  public DevicePeers peers(Communicator comm) {
    return DevicePeers.of(client, stream, comm);
  }

  @Override
  public Codec codec(Codec chosen) {
    return chosen.on(device, stream);
  }

  /** Gives back what kernels keep on the device, after the stream has passed them. */
  @Override
  public void close() {
    stream.await();
    prepared.forEach(ArrayKernels.Prepared::close);
    prepared.clear();
    if (owned != null) {
      owned.close();
    }
  }
}
