/**
 * Krylov solvers. Start with {@link dev.rialto.sparse.solve.Method}: choose one and call {@code
 * solve}. Each method is one small class that says the algorithm; what they share, from stopping to
 * monitors and breakdown, is in {@code Run}.
 */
@NullMarked
package dev.rialto.sparse.solve;

import org.jspecify.annotations.NullMarked;
