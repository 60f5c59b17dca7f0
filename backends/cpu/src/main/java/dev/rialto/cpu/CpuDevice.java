package dev.rialto.cpu;

import dev.rialto.spi.device.Device;
import dev.rialto.spi.device.DeviceProperties;
import dev.rialto.spi.device.DeviceProperties.Feature;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.kernel.KernelCompiler;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.spi.memory.MemoryTransfer;
import java.util.Set;

/** The host's cores as a device: its memory is the host's, and a kernel is a parallel loop. */
final class CpuDevice implements Device {
  /**
   * The bytes that a core loads at once where no more is known: a register of every 64-bit
   * processor.
   */
  private static final int LOAD_BYTES = 16;

  /** Asking the C library for less than this much at a time costs more than it saves. */
  private static final long PAGE_BYTES = 64 << 10;

  private final MemorySpace memory;
  private final MemoryTransfer transfer;
  private final KernelCompiler compiler;
  private final DeviceProperties properties;

  CpuDevice(
      MemorySpace memory,
      MemoryTransfer transfer,
      KernelCompiler compiler,
      int cores,
      String simd,
      int vectorBytes) {
    this.memory = memory;
    this.transfer = transfer;
    this.compiler = compiler;
    this.properties =
        new DeviceProperties(
            cores + (cores == 1 ? " core, " : " cores, ") + simd,
            System.getProperty("os.arch") + "/" + cores + "/" + simd + "/" + Runtime.version(),
            cores,
            Math.max(LOAD_BYTES, vectorBytes),
            1,
            0,
            1,
            Long.MAX_VALUE,
            memory.used() + memory.available(),
            PAGE_BYTES,
            1,
            DeviceProperties.Timing.HOST,
            Set.of(Feature.JAVA_KERNELS, Feature.ATOMICS, Feature.WIDE_ATOMICS, Feature.DOUBLE));
  }

  @Override
  public String name() {
    return "cpu:0";
  }

  @Override
  public DeviceProperties properties() {
    return properties;
  }

  @Override
  public MemorySpace memory() {
    return memory;
  }

  @Override
  public MemorySpace staging() {
    return memory;
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
    return new HostStream();
  }
}
