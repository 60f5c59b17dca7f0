package dev.rialto.tck.plain;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.device.ArrayKernels;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.device.DeviceCollectives;
import dev.rialto.spi.device.DeviceProperties;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.kernel.KernelCompiler;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.spi.memory.MemorySpace.Properties;
import dev.rialto.spi.memory.MemoryTransfer;
import dev.rialto.spi.parts.TrackedSpace;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/**
 * A device for tests where there is none: memory of the host that its segments do not let the host
 * look into, and kernels that are plain loops. What runs on it has been careful with memory, and
 * its results are those that a real device's are compared with.
 */
public final class PlainDevice implements Device {
  private final Device host;
  private final FftEngine engine;
  private final boolean connects;
  private final MemorySpace memory = new Hidden();
  private final MemoryTransfer transfer = new Seeing();
  private final KernelCompiler compiler;

  /**
   * Makes a device of the host's memory and threads.
   *
   * @param engine what transforms
   * @param connects whether ranks of this process can connect it
   */
  public PlainDevice(Device host, FftEngine engine, boolean connects) {
    this.host = host;
    this.connects = connects;
    this.compiler = new PlainCompiler(host.compiler());
    this.engine = new PlainTransforms(engine);
  }

  /** Returns the memory behind a segment of the device. */
  @SuppressWarnings("restricted")
  static MemorySegment seen(MemorySegment memory, long bytes) {
    return memory.isNative() && memory.byteSize() == 0
        ? MemorySegment.ofAddress(memory.address()).reinterpret(bytes)
        : memory;
  }

  /** The whole address space. */
  @SuppressWarnings("restricted")
  static MemorySegment all(MemorySegment memory) {
    return MemorySegment.ofAddress(memory.address()).reinterpret(Long.MAX_VALUE);
  }

  private static final class Hidden extends TrackedSpace {
    Hidden() {
      super(
          "plain:0",
          new Properties(false, true, false, true, false, 64),
          1L << 40,
          "close what is no longer needed");
    }

    @Override
    protected Source take(long bytes) {
      Arena arena = Arena.ofShared();
      return new Source(arena.allocate(bytes, 64).address(), arena::close);
    }
  }

  /** Copies as the host does, knowing what is behind segments. */
  private final class Seeing implements MemoryTransfer {
    @Override
    public boolean supports(MemorySpace source, MemorySpace target) {
      return true;
    }

    @Override
    public void copy(MemorySegment source, MemorySegment target, long bytes) {
      host.transfer().copy(seen(source, bytes), seen(target, bytes), bytes);
    }

    @Override
    public void copy(MemorySegment source, Layout from, MemorySegment target, Layout to) {
      host.transfer().copy(seen(source, from.span()), from, seen(target, to.span()), to);
    }

    @Override
    public void copyAsync(MemorySegment source, MemorySegment target, long bytes, Stream stream) {
      stream.run(() -> copy(source, target, bytes));
    }

    @Override
    public void copyAsync(
        MemorySegment source, Layout from, MemorySegment target, Layout to, Stream stream) {
      stream.run(() -> copy(source, from, target, to));
    }
  }

  @Override
  public String name() {
    return "plain:0";
  }

  @Override
  public DeviceProperties properties() {
    return host.properties();
  }

  @Override
  public MemorySpace memory() {
    return memory;
  }

  @Override
  public MemorySpace staging() {
    return host.memory();
  }

  @Override
  public MemoryTransfer transfer() {
    return transfer;
  }

  @Override
  public KernelCompiler compiler() {
    return compiler;
  }

  @Override
  public Timeline openStream(int priority) {
    return host.openStream(priority);
  }

  @Override
  public Optional<ArrayKernels> arrays() {
    return Optional.of(new PlainArrays());
  }

  @Override
  public Optional<FftEngine> fft() {
    return Optional.of(engine);
  }

  @Override
  public DeviceCollectives collectives(Communicator over) {
    return connects ? PlainCollectives.connect(over) : Device.super.collectives(over);
  }
}
