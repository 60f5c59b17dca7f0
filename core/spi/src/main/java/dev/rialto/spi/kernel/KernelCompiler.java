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

  /**
   * The options of compiling a kernel.
   *
   * @param checked whether an access outside a buffer is a failure that names the kernel, the
   *     buffer, the index and the item, and nothing is written there
   * @param counted whether a launch passes one more buffer, an I64 that the device reads when the
   *     launch begins: no more items than that run
   */
  record Form(boolean checked, boolean counted) {}

  /**
   * Compiles a kernel in a form.
   *
   * @throws UnsupportedOperationException if this compiler does not make that form
   */
  default Executable compile(LoweredKernel kernel, Form form) {
    if (!form.checked() && !form.counted()) {
      return compile(kernel);
    }
    throw new UnsupportedOperationException(
        ("kernel '%s' is written in %s, which target %s compiles as it is; launch it "
                + "unchecked and give the count")
            .formatted(kernel.name(), kernel.language(), target()));
  }
}
