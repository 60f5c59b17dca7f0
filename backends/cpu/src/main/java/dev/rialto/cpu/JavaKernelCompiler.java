package dev.rialto.cpu;

import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.kernel.Executable;
import dev.rialto.spi.kernel.KernelCompiler;
import dev.rialto.spi.kernel.LoweredKernel;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

/**
 * "Compiles" kernels whose body is Java: the JVM has done it already, a launch is a parallel loop.
 */
final class JavaKernelCompiler implements KernelCompiler {
  private final Supplier<Executor> executor;

  /**
   * Makes a compiler.
   *
   * @param executor gives what runs the launches; asked when the first one is added
   */
  JavaKernelCompiler(Supplier<Executor> executor) {
    this.executor = executor;
  }

  @Override
  public String target() {
    return "jvm";
  }

  @Override
  public Set<String> languages() {
    return Set.of(LoweredKernel.JAVA);
  }

  @Override
  public Executable compile(LoweredKernel kernel) {
    if (kernel instanceof LoweredKernel.JavaBody java) {
      return new JavaExecutable(java);
    }
    throw new IllegalArgumentException(
        "kernel %s is written in %s, but target jvm takes only %s"
            .formatted(kernel.name(), kernel.language(), String.join(", ", languages())));
  }

  private final class JavaExecutable implements Executable {
    private final LoweredKernel.JavaBody kernel;
    private volatile boolean closed;

    JavaExecutable(LoweredKernel.JavaBody kernel) {
      this.kernel = kernel;
    }

    @Override
    public LoweredKernel kernel() {
      return kernel;
    }

    @Override
    public void launch(long items, List<MemorySegment> buffers, Stream stream) {
      if (closed) {
        throw new IllegalStateException(
            "kernel " + kernel.name() + " is closed; compile it again to launch it");
      }
      kernel.checkLaunch(items, buffers);
      // An immutable list is not copied, so a caller that keeps one launches without garbage.
      HostStream.launch(stream, kernel.body(), items, List.copyOf(buffers), executor.get());
    }

    @Override
    public void close() {
      closed = true;
    }
  }
}
