package dev.rialto.cuda;

import dev.rialto.cuda.driver.CudaContext;
import dev.rialto.cuda.driver.Cufft;
import dev.rialto.cuda.driver.DeviceClock;
import dev.rialto.cuda.driver.DeviceMemory;
import dev.rialto.cuda.driver.Driver;
import dev.rialto.cuda.driver.DriverMemory;
import dev.rialto.cuda.driver.PinnedMemory;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.device.ArrayKernels;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.device.Device.MemorySharing;
import dev.rialto.spi.device.DeviceCollectives;
import dev.rialto.spi.device.DeviceProperties;
import dev.rialto.spi.device.DeviceProperties.Feature;
import dev.rialto.spi.device.MatrixKernels;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.kernel.KernelCompiler;
import dev.rialto.spi.memory.MemorySpace;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One GPU. */
final class CudaDevice implements Device {
  /** The most that a thread loads at once. */
  private static final int LOAD_BYTES = 16;

  /** The driver hands memory out in such pieces. */
  private static final long PAGE_BYTES = 2 << 20;

  /** Enough for the sums of every block, many times over. */
  private static final long SCRATCH_BYTES = 64 << 20;

  private final CudaContext context;
  private final DeviceClock clock;
  private final DeviceMemory memory;
  private final PinnedMemory pinned;
  private final CudaCompiler compiler;
  private final CudaTransfer transfer;
  private final DeviceProperties properties;
  private final int highestPriority;
  private final CudaCompiler.Architecture architecture;
  private final CudaArrays arrays;
  private final CudaProducts products;
  private @Nullable LoadedKernel scaleKernel;

  CudaDevice(CudaContext context, PinnedMemory pinned) {
    this.context = context;
    this.clock = new DeviceClock(context);
    this.pinned = pinned;
    int device = context.device();
    long total = Driver.totalMemory(device);
    this.memory = new DeviceMemory(context, total);
    this.architecture =
        new CudaCompiler.Architecture(
            Driver.attribute(device, Driver.ATTRIBUTE_MAJOR),
            Driver.attribute(device, Driver.ATTRIBUTE_MINOR),
            Driver.version());
    this.compiler = new CudaCompiler(context, architecture, memory, pinned);
    this.transfer = new CudaTransfer(context, memory, pinned, compiler);
    context.enter();
    DriverMemory.keepInPool(device, SCRATCH_BYTES);
    this.highestPriority = Driver.highestPriority();
    String name = Driver.deviceName(device);
    int processors = Driver.attribute(device, Driver.ATTRIBUTE_MULTIPROCESSORS);
    this.arrays = new CudaArrays(this, compiler);
    this.products = new CudaProducts(compiler, architecture, processors);
    Set<Feature> features =
        EnumSet.of(
            Feature.ATOMICS, Feature.WIDE_ATOMICS, Feature.HALF, Feature.DOUBLE, Feature.BARRIERS);
    if (architecture.multipliesTiles()) {
      features.add(Feature.TILES);
    }
    this.properties =
        new DeviceProperties(
            name + ", " + processors + " multiprocessors, " + (total >> 20) + " MiB",
            name + "/" + architecture,
            processors,
            LOAD_BYTES,
            Driver.attribute(device, Driver.ATTRIBUTE_WARP),
            Driver.attribute(device, Driver.ATTRIBUTE_SHARED_BYTES),
            Driver.attribute(device, Driver.ATTRIBUTE_MAX_THREADS),
            Long.MAX_VALUE,
            total,
            PAGE_BYTES,
            1 - highestPriority,
            DeviceProperties.Timing.DEVICE,
            features);
  }

  /** Returns the kernel that scales transforms, compiled when first asked for. */
  synchronized LoadedKernel scaleKernel() {
    LoadedKernel kernel = scaleKernel;
    if (kernel == null) {
      kernel = compiler.load("rialto_scale", CufftPlan.SCALE, false);
      scaleKernel = kernel;
    }
    return kernel;
  }

  CudaContext context() {
    return context;
  }

  /** Returns whether an address is one of this GPU's memory. */
  boolean isWithin(long address) {
    return memory.room(address) >= 0;
  }

  CudaCompiler.Architecture architecture() {
    return architecture;
  }

  @Override
  public String name() {
    return context.name();
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
    return pinned;
  }

  @Override
  public CudaTransfer transfer() {
    return transfer;
  }

  @Override
  public KernelCompiler compiler() {
    return compiler;
  }

  @Override
  public Optional<ArrayKernels> arrays() {
    return Optional.of(arrays);
  }

  @Override
  public Optional<MatrixKernels> matrices() {
    return Optional.of(products);
  }

  @Override
  public Optional<FftEngine> fft() {
    return Cufft.find().map(library -> new CufftEngine(this, library));
  }

  @Override
  public Optional<MemorySharing> sharing() {
    return Optional.of(new CudaSharing(context));
  }

  @Override
  public DeviceCollectives collectives(Communicator over) {
    return NcclCollectives.connect(this, over);
  }

  /** The driver counts priorities from 0 down. */
  @Override
  public Timeline openStream(int priority) {
    return CudaStream.open(context, clock, Math.clamp(-(long) priority, highestPriority, 0));
  }
}
