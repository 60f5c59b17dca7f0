package dev.rialto.fft;

import dev.rialto.exchange.kernel.DeviceKernels;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.memory.Allocation;
import java.lang.foreign.MemorySegment;

/**
 * Where the arrays of a plan are if that is a device: its memory, and the stream that everything
 * the plan does is in, so that a stage needs no answer from the one before.
 */
final class DevicePlace implements AutoCloseable {
  private final Device device;
  private final Stream stream;
  private final DeviceKernels kernels;

  DevicePlace(Device device) {
    this.device = device;
    this.stream = device.openStream(0);
    this.kernels = DeviceKernels.on(device, stream);
  }

  static FftEngine engine(Device device) {
    return device
        .fft()
        .orElseThrow(
            () ->
                new UnsupportedOperationException(
                    device.name() + " has no transforms; 'rialto info' tells what is missing"));
  }

  Stream stream() {
    return stream;
  }

  DeviceKernels kernels() {
    return kernels;
  }

  Allocation allocate(long bytes) {
    return device.memory().allocate(bytes);
  }

  void copy(MemorySegment from, MemorySegment to, long bytes) {
    device.transfer().copyAsync(from, to, bytes, stream);
  }

  @Override
  public void close() {
    kernels.close();
    stream.close();
  }
}
