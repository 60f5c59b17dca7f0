/**
 * Systems to try solvers on, and ways to divide them among ranks. Start with {@link
 * dev.rialto.sparse.problem.Problem}.
 */
@NullMarked
package dev.rialto.sparse.problem;

import org.jspecify.annotations.NullMarked;
