/**
 * Kernels that are Java methods. Start with {@link dev.rialto.jit.kernel.JavaKernel}; {@link
 * dev.rialto.jit.kernel.Item} is what a method is called with, {@link
 * dev.rialto.jit.kernel.PlainRun} calls it without compiling anything.
 */
@NullMarked
package dev.rialto.jit.kernel;

import org.jspecify.annotations.NullMarked;
