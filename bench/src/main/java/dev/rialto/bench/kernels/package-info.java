/**
 * Compiled programs against C and OpenBLAS. Start with {@link
 * dev.rialto.bench.kernels.KernelsSuite}.
 */
@NullMarked
package dev.rialto.bench.kernels;

import org.jspecify.annotations.NullMarked;
