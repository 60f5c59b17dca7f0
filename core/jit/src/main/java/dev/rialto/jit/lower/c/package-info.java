/**
 * Loops as C text, in the dialect of a target. Start with {@link dev.rialto.jit.lower.c.CPrinter},
 * which prints statements. {@link dev.rialto.jit.lower.c.CExpressions} prints expressions.
 */
@NullMarked
package dev.rialto.jit.lower.c;

import org.jspecify.annotations.NullMarked;
