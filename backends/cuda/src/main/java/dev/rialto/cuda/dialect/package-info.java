/**
 * CUDA C as a dialect of the C that kernels are printed in. Start with {@link
 * dev.rialto.cuda.dialect.CudaDialect}. Tiles for tensor cores and vectors of 16 bytes are parts of
 * it.
 */
@NullMarked
package dev.rialto.cuda.dialect;

import org.jspecify.annotations.NullMarked;
