package dev.rialto.jit.run;

import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.RangeBody;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.memory.MemorySpace;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Nodes live in the device's memory, and a step adds copies and launches to its stream in the
 * caller's thread: nothing is handed to a thread, so a launch costs what the device's driver takes.
 */
final class DevicePlace implements Place {
  private final Device device;
  private final Stream stream;
  private final boolean sync;

  DevicePlace(Device device, boolean sync) {
    this.device = device;
    this.stream = device.openStream(0);
    this.sync = sync;
  }

  @Override
  public MemorySpace memory() {
    return device.memory();
  }

  @Override
  public Stream stream() {
    return stream;
  }

  /**
   * Steps from several threads exclude one another, so that their parts stay together. What a step
   * throws is raised when the device is awaited, as for steps that a thread does later.
   */
  @Override
  public synchronized void inOrder(Runnable step) {
    try {
      step.run();
    } catch (RuntimeException e) {
      stream.run(
          () -> {
            throw e;
          });
      return;
    }
    if (sync) {
      stream.await();
    }
  }

  @Override
  public boolean usesCallersThread() {
    return true;
  }

  /** An event per launch would cost what the launch does; closing waits for the device instead. */
  @Override
  public @Nullable Pending pending(String name) {
    return null;
  }

  @Override
  public void copy(MemorySegment from, MemorySegment to, long bytes) {
    device.transfer().copyAsync(from, to, bytes, stream);
  }

  /** By way of the host where the drivers know no way from device to device. */
  @Override
  public void bring(Place source, MemorySegment from, MemorySegment to, long bytes) {
    if (!(source instanceof DevicePlace other)
        || device.transfer().supports(other.memory(), memory())) {
      copy(from, to, bytes);
      return;
    }
    stream.run(
        () -> {
          try (Arena arena = Arena.ofConfined()) {
            MemorySegment host = arena.allocate(bytes, 64);
            other.device.transfer().copy(from, host, bytes);
            device.transfer().copy(host, to, bytes);
          }
        });
  }

  @Override
  public RangeBody bind(Code code, int procedure, List<MemorySegment> buffers) {
    return code.bind(procedure, buffers, stream);
  }

  @Override
  public void run(Procedure procedure, RangeBody body, Executor executor) {
    body.run(0, procedure.items());
  }
}
