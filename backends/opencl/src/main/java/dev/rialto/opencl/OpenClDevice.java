package dev.rialto.opencl;

import dev.rialto.spi.device.Device;
import dev.rialto.spi.device.DeviceProperties;
import dev.rialto.spi.device.DeviceProperties.Feature;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.spi.memory.MemorySpace.Properties;
import dev.rialto.spi.parts.HostSpace;
import java.lang.management.ManagementFactory;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** One device of an OpenCL platform. */
final class OpenClDevice implements Device {
  /** The most that an item loads at once. */
  private static final int LOAD_BYTES = 16;

  private static final long PAGE_BYTES = 2 << 20;

  /** The memory in which the host prepares copies; all devices share it. */
  private static final MemorySpace STAGING =
      new HostSpace(
          "opencl-host",
          new Properties(true, false, false, true, true, 64),
          ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
              .getTotalMemorySize(),
          "close what is no longer needed");

  private final OpenClContext context;
  private final OpenClMemory memory;
  private final OpenClCompiler compiler;
  private final OpenClTransfer transfer;
  private final DeviceProperties properties;

  /**
   * Opens a device.
   *
   * @param transfers those of all devices, its own too once all are open
   */
  OpenClDevice(OpenClContext context, List<OpenClTransfer> transfers) {
    this.context = context;
    long device = context.device();
    long total = OpenCl.deviceNumber(device, OpenCl.DEVICE_GLOBAL_MEM_SIZE, 8);
    int units = (int) OpenCl.deviceNumber(device, OpenCl.DEVICE_MAX_COMPUTE_UNITS, 4);
    this.memory = new OpenClMemory(context, total);
    this.compiler = new OpenClCompiler(context, memory);
    this.transfer = new OpenClTransfer(context, memory, compiler, transfers);
    String name = OpenCl.deviceText(device, OpenCl.DEVICE_NAME);
    Set<Feature> features = EnumSet.of(Feature.ATOMICS, Feature.BARRIERS);
    if (context.has("cl_khr_int64_base_atomics") && context.has("cl_khr_int64_extended_atomics")) {
      features.add(Feature.WIDE_ATOMICS);
    }
    if (context.has("cl_khr_fp64")) {
      features.add(Feature.DOUBLE);
    }
    if (context.has("cl_khr_fp16")) {
      features.add(Feature.HALF);
    }
    this.properties =
        new DeviceProperties(
            name + ", " + units + " compute units, " + (total >> 20) + " MiB",
            compiler.fingerprint(),
            units,
            LOAD_BYTES,
            1,
            OpenCl.deviceNumber(device, OpenCl.DEVICE_LOCAL_MEM_SIZE, 8),
            (int) OpenCl.deviceNumber(device, OpenCl.DEVICE_MAX_WORK_GROUP_SIZE, 8),
            Long.MAX_VALUE,
            total,
            PAGE_BYTES,
            1,
            DeviceProperties.Timing.DEVICE,
            features);
  }

  OpenClContext context() {
    return context;
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
    return STAGING;
  }

  @Override
  public OpenClTransfer transfer() {
    return transfer;
  }

  @Override
  public OpenClCompiler compiler() {
    return compiler;
  }

  @Override
  public Timeline openStream(int priority) {
    return OpenClStream.open(context);
  }
}
