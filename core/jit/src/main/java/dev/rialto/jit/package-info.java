/**
 * Array programs as they are written: nodes, index maps, assignments, gradients. Start with {@link
 * dev.rialto.jit.TensorExpression} to write a program in Java, with {@link
 * dev.rialto.jit.Program#parse} to write one as text, and with {@link
 * dev.rialto.jit.run.JitBackend} to run it.
 */
@NullMarked
package dev.rialto.jit;

import org.jspecify.annotations.NullMarked;
