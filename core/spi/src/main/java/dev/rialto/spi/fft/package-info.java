/**
 * Batched one-dimensional Fourier transforms on local memory, the piece that distributed transforms
 * are made of. Start with {@link dev.rialto.spi.fft.FftEngine}.
 */
@NullMarked
package dev.rialto.spi.fft;

import org.jspecify.annotations.NullMarked;
