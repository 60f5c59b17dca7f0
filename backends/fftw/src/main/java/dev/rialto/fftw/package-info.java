/**
 * The backend {@code fftw}: libfftw3 and libfftw3f, bound at run time. Start with {@link
 * dev.rialto.fftw.FftwBackend}; {@code Library} makes the calls and keeps wisdom, {@code FftwPlan}
 * executes.
 */
@NullMarked
package dev.rialto.fftw;

import org.jspecify.annotations.NullMarked;
