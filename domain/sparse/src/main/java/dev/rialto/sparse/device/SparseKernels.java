package dev.rialto.sparse.device;

import dev.rialto.jit.kernel.Checks;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.jit.run.JitBackend;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Resource;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.kernel.LoweredKernel;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Launches of the kernels for matrices and vectors on a device, all on one stream.
 *
 * <p>The iterations of a method repeat the same few launches, so what a launch has checked and
 * bound is kept for the next that is equal: that one costs what the driver's launch does. Memory is
 * given by its address; the stream orders its uses. Used by one thread at a time.
 */
public final class SparseKernels implements AutoCloseable {
  public static final int BLOCK = 256;

  /** Launches, and regions, that are kept; some methods have others in each iteration. */
  private static final int KEPT = 256;

  /** Blocks of 256 items that a core of a GPU has at once. */
  private static final int BLOCKS_EACH = 8;

  /** The most blocks that leave a sum each. */
  static final int MOST_BLOCKS = 8192;

  private final ComputeClient client;
  private final int wave;
  private final Map<List<Object>, JavaKernel> kernels = new HashMap<>();
  private final Map<List<Object>, JavaKernel.Prepared> launches = new HashMap<>();
  private final Map<Region, Buffer> regions = new HashMap<>();
  private final DeviceNumbers answers;

  /**
   * Launches on the stream that a client is bound to.
   *
   * @throws UnsupportedOperationException if Java is not compiled for its device
   */
  public SparseKernels(ComputeClient client) {
    Device device = client.device().spi();
    boolean compiled =
        device.compiler().languages().contains(LoweredKernel.JAVA)
            || JitBackend.compilerOf(client.device()).isPresent();
    if (!compiled) {
      throw new UnsupportedOperationException(
          "sparse matrices on %s, for which Java is not compiled; use the host's matrix, and arrays of space().onHost()"
              .formatted(device.name()));
    }
    this.client = client;
    this.wave = Math.min(BLOCKS_EACH * client.device().properties().cores(), MOST_BLOCKS);
    this.answers = new DeviceNumbers(this);
  }

  /** Elements in the device's memory. */
  record Region(long address, long bytes) {
    static Region of(long address, DType type, long count) {
      return new Region(address, type.bytes(count));
    }
  }

  ComputeClient client() {
    return client;
  }

  Stream stream() {
    return client.stream().timeline();
  }

  /** Takes memory of the device. */
  Resource lend(long bytes) {
    return client.lend("sparse", bytes);
  }

  /** Takes memory of the host that the device reaches. */
  Resource lendStaging(long bytes) {
    return client.lendStaging("sparse", bytes);
  }

  void copyAsync(MemorySegment from, MemorySegment to, long bytes) {
    client.device().spi().transfer().copyAsync(from, to, bytes, stream());
  }

  /** Returns the numbers that sums go to which the host waits for. */
  DeviceNumbers answers() {
    return answers;
  }

  /** Returns how many blocks of a launch over elements leave a sum each. */
  int summingBlocks(long n) {
    return Math.clamp((n + BLOCK - 1) / BLOCK, 1, wave);
  }

  /** Returns how many do that meet in shared memory, where more of them fill the gaps. */
  int meetingBlocks(long n) {
    return Math.clamp((n + BLOCK - 1) / BLOCK, 1, MOST_BLOCKS);
  }

  /**
   * Adds a launch to the stream.
   *
   * @param type what elements are
   * @param name what tells kernels apart
   * @param body makes the kernel, if there is none of that name and type yet
   * @param arguments regions, buffers and numbers
   */
  void launch(
      DType type, List<Object> name, Supplier<KernelBody> body, long items, Object... arguments) {
    if (items == 0) {
      return;
    }
    List<Object> key = List.of(type, name, items, List.of(arguments));
    JavaKernel.Prepared launch = launches.get(key);
    if (launch == null) {
      if (launches.size() >= KEPT || regions.size() >= KEPT) {
        forget();
      }
      Object[] passed = arguments.clone();
      for (int i = 0; i < passed.length; i++) {
        if (passed[i] instanceof Region region) {
          passed[i] = regions.computeIfAbsent(region, this::wrap);
        }
      }
      launch =
          kernels
              .computeIfAbsent(List.of(type, name), _ -> compile(type, body.get()))
              .prepare(items, passed);
      launches.put(key, launch);
    }
    launch.run();
  }

  private JavaKernel compile(DType type, KernelBody body) {
    return JavaKernels.on(client)
        .withChecks(Checks.NONE)
        .withElements(type)
        .withBlockSize(BLOCK)
        .compile(body);
  }

  private Buffer wrap(Region region) {
    return client.wrap(MemorySegment.ofAddress(region.address()), region.bytes(), () -> {});
  }

  /** Forgets launches; those that were added still run. */
  private void forget() {
    launches.values().forEach(JavaKernel.Prepared::close);
    launches.clear();
    regions.values().forEach(Buffer::close);
    regions.clear();
  }

  @Override
  public void close() {
    answers.close();
    forget();
    kernels.values().forEach(JavaKernel::close);
    kernels.clear();
  }
}
