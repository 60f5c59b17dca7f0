/**
 * Loops of a kernel and their rewriting: walking, simplifying, hoisting, interpreting, printing.
 * Start with {@link dev.rialto.jit.loops.Ir}, which walks and rebuilds them. The passes know
 * neither programs nor Java methods, so both ways to loops share them.
 */
@NullMarked
package dev.rialto.jit.loops;

import org.jspecify.annotations.NullMarked;
