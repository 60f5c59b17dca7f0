package dev.rialto.tck;

import dev.rialto.spi.kernel.LoweredKernel;

/**
 * Kernels in one language, for the kit to check compilers with.
 *
 * <p>The kit brings its own for {@code java}, {@code c}, {@code cuda} and {@code opencl-c}. A
 * backend whose compiler takes another language supplies them as a {@link java.util.ServiceLoader}
 * service.
 */
public interface SampleKernels {
  /** Returns the language, as in {@link LoweredKernel#language}. */
  String language();

  /**
   * Returns a kernel with the parameters {@code in} (F64, read) and {@code out} (F64, read and
   * written) that adds {@code 3 * in[i] + i} to {@code out[i]} for each index {@code i}.
   */
  LoweredKernel affine();

  /** Returns a kernel with the parameters of {@link #affine} whose body cannot be compiled. */
  LoweredKernel broken();
}
