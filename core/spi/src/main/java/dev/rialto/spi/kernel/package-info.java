/**
 * Compiling kernels for one kind of device, and launching them. Start with {@link
 * dev.rialto.spi.kernel.KernelCompiler}.
 */
@NullMarked
package dev.rialto.spi.kernel;

import org.jspecify.annotations.NullMarked;
