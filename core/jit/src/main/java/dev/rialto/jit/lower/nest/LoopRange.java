package dev.rialto.jit.lower.nest;

import dev.rialto.spi.code.Expr;

/**
 * The part of a loop that is run.
 *
 * @param from the first index
 * @param to one past the last
 */
record LoopRange(Expr from, Expr to) {}
