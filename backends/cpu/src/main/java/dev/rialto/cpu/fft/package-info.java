/**
 * Fourier transforms in Java: lines become lanes, and loops generated for the machine's vectors
 * transform a group of lines at once. Start with {@link dev.rialto.cpu.fft.JavaFftEngine}; a
 * transform is a {@link dev.rialto.cpu.fft.BlockProgram} of {@link dev.rialto.cpu.fft.Codelets}.
 */
@NullMarked
package dev.rialto.cpu.fft;

import org.jspecify.annotations.NullMarked;
