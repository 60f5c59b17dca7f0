/**
 * The work of {@code rialto solve} on each rank. Start with {@link dev.rialto.cli.solve.SolveJob}.
 */
@NullMarked
package dev.rialto.cli.solve;

import org.jspecify.annotations.NullMarked;
