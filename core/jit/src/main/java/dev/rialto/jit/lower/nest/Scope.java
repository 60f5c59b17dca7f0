package dev.rialto.jit.lower.nest;

import dev.rialto.jit.Node;
import dev.rialto.jit.Symbol;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * The surroundings of the loops of a procedure.
 *
 * @param begin the first index of the part that is run
 * @param end one past its last
 * @param fast whether values of one element may be combined in another order
 * @param statics the value of each static index
 * @param buffers the buffer of a node, or of its merge buffer
 */
public record Scope(
    Expr.Var begin,
    Expr.Var end,
    boolean fast,
    Map<Symbol, Expr> statics,
    BiFunction<Node, Boolean, Buffer> buffers) {}
