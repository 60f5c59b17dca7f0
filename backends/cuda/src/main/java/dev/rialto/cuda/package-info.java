/**
 * NVIDIA GPUs, through the driver and the compiler library that are installed: nothing is built
 * natively. Start with {@link dev.rialto.cuda.CudaBackend}; {@code Driver} is the binding, {@code
 * CudaStream} the heart.
 */
@NullMarked
package dev.rialto.cuda;

import org.jspecify.annotations.NullMarked;
