package dev.rialto.fft.stage;

import dev.rialto.exchange.kernel.DevicePacking;
import dev.rialto.fft.engine.KernelEngine;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.ComputeStream;
import dev.rialto.runtime.Devices;
import dev.rialto.runtime.Resource;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.fft.FftEngine;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * The device of the arrays of a plan: its memory, and the stream that everything the plan does is
 * in, so that a stage needs no answer from the one before.
 */
public final class DevicePlace implements AutoCloseable {
  private final Device device;
  private final @Nullable ComputeClient client;
  private final ComputeClient runtime;
  private final ComputeStream stream;
  private final DevicePacking kernels;

  /** Makes a place; the client is that of arrays which the plan was made from. */
  public DevicePlace(Device device, @Nullable ComputeClient client) {
    this.device = device;
    this.client = client;
    this.runtime = client == null ? Devices.of(device) : client;
    this.stream = runtime.openStream("transform", 0);
    this.kernels = DevicePacking.on(runtime, stream);
  }

  /** Returns what transforms on a device: its own engine, else one made of kernels. */
  public static FftEngine engine(Device device) {
    return device.fft().orElseGet(() -> new KernelEngine(Devices.open(device.name())));
  }

  public String name() {
    return device.name();
  }

  public @Nullable ComputeClient client() {
    return client;
  }

  public Stream stream() {
    return stream.timeline();
  }

  public DevicePacking kernels() {
    return kernels;
  }

  public Resource allocate(long bytes) {
    return runtime.lend("scratch of transforms", bytes);
  }

  public void copy(MemorySegment from, MemorySegment to, long bytes) {
    device.transfer().copyAsync(from, to, bytes, stream());
  }

  @Override
  public void close() {
    kernels.close();
    stream.close();
  }
}
