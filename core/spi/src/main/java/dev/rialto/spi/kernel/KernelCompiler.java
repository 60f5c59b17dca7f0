package dev.rialto.spi.kernel;

import java.util.Set;

/** Turns kernels into something one kind of device runs. Thread-safe. */
public interface KernelCompiler {
  /** Returns what it compiles for, such as {@code jvm} or {@code cuda}. */
  String target();

  /** Returns the languages it takes; see {@link LoweredKernel#language}. */
  Set<String> languages();

  /**
   * Compiles a kernel.
   *
   * @return the compiled kernel, owned by the caller
   * @throws IllegalArgumentException if the language is not one of {@link #languages}, naming those
   * @throws dev.rialto.spi.error.CompilationException if the body cannot be compiled, with the
   *     compiler's own words
   */
  Executable compile(LoweredKernel kernel);
}
