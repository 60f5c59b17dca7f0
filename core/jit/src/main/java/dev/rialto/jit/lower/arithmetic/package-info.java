/**
 * Straight-line code for the operators of programs: complex numbers, integers of all widths, 16-bit
 * formats, elementary functions and random numbers in the few operators that every target has.
 * Start with {@link dev.rialto.jit.lower.arithmetic.Arithmetic}. {@link
 * dev.rialto.jit.lower.arithmetic.Emitter} writes the code.
 */
@NullMarked
package dev.rialto.jit.lower.arithmetic;

import org.jspecify.annotations.NullMarked;
