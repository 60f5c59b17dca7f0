package dev.rialto.jit.lower.nest;

import dev.rialto.jit.loops.Ir;
import dev.rialto.jit.lower.arithmetic.Emitter;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import java.util.ArrayList;
import java.util.List;

/**
 * The part of a loop that one step does.
 *
 * @param unroll how many vectors, or elements
 * @param lanes how many elements a vector has; 1 if there are none
 */
public record LoopStep(int unroll, int lanes) {
  static final LoopStep SINGLE = new LoopStep(1, 1);

  int width() {
    return unroll * lanes;
  }

  /** The whole tile first, then what is left in vectors, then one by one. */
  List<LoopStep> steps() {
    List<LoopStep> steps = new ArrayList<>();
    if (width() > 1) {
      steps.add(this);
    }
    if (unroll > 1 && lanes > 1) {
      steps.add(new LoopStep(1, lanes));
    }
    steps.add(SINGLE);
    return steps;
  }

  /** Returns the end of the last whole step of a loop. */
  Expr end(Emitter out, Expr from, Expr to) {
    if (width() == 1) {
      return to;
    }
    Expr length = Ir.index(BinaryOp.SUB, to, from);
    Expr steps = Ir.index(BinaryOp.DIV, length, Expr.of(width()));
    return out.let(Ir.index(BinaryOp.ADD, from, Ir.index(BinaryOp.MUL, steps, Expr.of(width()))));
  }
}
