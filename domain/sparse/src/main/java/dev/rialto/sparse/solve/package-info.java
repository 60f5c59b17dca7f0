/**
 * Krylov solvers. Start with {@link dev.rialto.sparse.solve.Method}: choose one and call {@code
 * solve}. Each method is one small class that says the algorithm; what they share, from stopping to
 * monitors and breakdown, is in {@code Run}. Their numbers are {@link dev.rialto.sparse.Variable}s,
 * which are where the vectors are, so that one loop serves the host and devices.
 */
@NullMarked
package dev.rialto.sparse.solve;

import org.jspecify.annotations.NullMarked;
