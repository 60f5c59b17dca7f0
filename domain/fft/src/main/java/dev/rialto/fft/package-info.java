/**
 * Fourier transforms of arrays that are distributed over ranks. Start with {@link
 * dev.rialto.fft.FourierPlan}: it transforms axes where they are local and moves the array in
 * between. {@link dev.rialto.fft.Modes} knows the frequencies of the result and multiplies by them.
 */
@NullMarked
package dev.rialto.fft;

import org.jspecify.annotations.NullMarked;
