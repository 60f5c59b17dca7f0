/**
 * Compiling, linking and running programs. Start with {@link dev.rialto.jit.run.JitBackend}; {@link
 * dev.rialto.jit.run.Context} and {@link dev.rialto.jit.run.Routine} are what it gives.
 */
@NullMarked
package dev.rialto.jit.run;

import org.jspecify.annotations.NullMarked;
