package dev.rialto.cuda;

import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.kernel.Executable;
import dev.rialto.spi.kernel.KernelCompiler;
import dev.rialto.spi.kernel.LoweredKernel;
import dev.rialto.spi.parts.CodeStore;
import dev.rialto.spi.parts.LaunchArguments;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Compiles CUDA C++ for one GPU.
 *
 * <p>The text defines {@code extern "C" __global__ void name(T *buffer…, long long begin, long long
 * end)}. A launch has a thread per index as far as the GPU allows, so the body walks from {@code
 * begin} plus its own number by the number of all threads. Arithmetic is strict unless the text
 * says otherwise: multiplications and additions are not contracted, so results are those of the
 * host to the bit.
 */
final class CudaCompiler implements KernelCompiler {
  /** What the text is written in. */
  static final String LANGUAGE = "cuda";

  private final Context context;
  private final Architecture architecture;
  private final List<DeviceMemory> checkedBy;

  /**
   * Makes a compiler.
   *
   * @param memory what addresses are checked against if {@code -Drialto.checks=true}
   */
  CudaCompiler(Context context, Architecture architecture, DeviceMemory memory) {
    this.context = context;
    this.architecture = architecture;
    this.checkedBy = Boolean.getBoolean("rialto.checks") ? List.of(memory) : List.of();
  }

  /**
   * What code is compiled for.
   *
   * @param major compute capability
   * @param minor compute capability
   * @param driver the driver's version
   */
  record Architecture(int major, int minor, int driver) {
    List<String> options(boolean fast) {
      return List.of("--gpu-architecture=sm_" + major + minor, "--std=c++17", "--fmad=" + fast);
    }
  }

  /** Returns machine code from the cache or, if it is not there, from the compiler. */
  static byte[] image(
      Architecture architecture,
      Nvrtc nvrtc,
      Optional<Path> folder,
      String name,
      String text,
      boolean fast) {
    List<String> options = architecture.options(fast);
    return folder
        .map(
            path ->
                new CodeStore(path, CodeStore.limit())
                    .image(
                        LANGUAGE,
                        () -> nvrtc.compile(name, text, options),
                        text,
                        String.join(" ", options),
                        nvrtc.version(),
                        Integer.toString(architecture.driver())))
        .orElseGet(() -> nvrtc.compile(name, text, options));
  }

  /** Compiles and loads a text that defines a kernel of that name. */
  LoadedKernel load(String name, String text, boolean fast) {
    return new LoadedKernel(
        context, name, image(architecture, Nvrtc.require(), CodeStore.folder(), name, text, fast));
  }

  @Override
  public String target() {
    return LANGUAGE;
  }

  @Override
  public Set<String> languages() {
    return Set.of(LANGUAGE);
  }

  @Override
  public Executable compile(LoweredKernel kernel) {
    if (kernel instanceof LoweredKernel.Source source && source.language().equals(LANGUAGE)) {
      return new CudaExecutable(source, load(source.name(), source.text(), false));
    }
    throw new IllegalArgumentException(
        "kernel "
            + kernel.name()
            + " is written in "
            + kernel.language()
            + ", but target cuda takes only "
            + LANGUAGE);
  }

  private final class CudaExecutable implements Executable {
    private final LoweredKernel kernel;
    private final LoadedKernel code;
    private final AtomicBoolean closed = new AtomicBoolean();

    CudaExecutable(LoweredKernel kernel, LoadedKernel code) {
      this.kernel = kernel;
      this.code = code;
    }

    @Override
    public LoweredKernel kernel() {
      return kernel;
    }

    @Override
    public void launch(long items, List<MemorySegment> buffers, Stream stream) {
      if (closed.get()) {
        throw new IllegalStateException(
            "kernel " + kernel.name() + " is closed; compile it again to launch it");
      }
      check(items, buffers);
      CudaStream target = CudaStream.require(stream);
      if (target.context() != context) {
        throw new IllegalArgumentException(
            "kernel "
                + kernel.name()
                + " was compiled for "
                + context.name()
                + ", but "
                + stream.name()
                + " is of another GPU; compile it there");
      }
      target.launch(CudaStream.label(stream), code, 0, items, 1, buffers);
    }

    private void check(long items, List<MemorySegment> buffers) {
      LaunchArguments.check(kernel, items, buffers);
      for (int i = 0; i < buffers.size(); i++) {
        if (!buffers.get(i).isNative()) {
          throw new IllegalArgumentException(
              describe(i) + " lies on the Java heap; copy it to the device first");
        }
      }
      for (DeviceMemory memory : checkedBy) {
        for (int i = 0; i < buffers.size(); i++) {
          if (memory.room(buffers.get(i).address()) < 0
              && Driver.memoryType(buffers.get(i).address()) == 0) {
            throw new IllegalArgumentException(
                describe(i)
                    + " lies at 0x"
                    + Long.toHexString(buffers.get(i).address())
                    + ", where "
                    + memory.name()
                    + " has no access; pass device or pinned memory that is open");
          }
        }
      }
    }

    private String describe(int buffer) {
      return "buffer " + kernel.parameters().get(buffer).name() + " of kernel " + kernel.name();
    }

    @Override
    public void close() {
      if (closed.compareAndSet(false, true)) {
        code.close();
      }
    }
  }
}
