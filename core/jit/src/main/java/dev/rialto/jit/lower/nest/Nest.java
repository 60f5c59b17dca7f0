package dev.rialto.jit.lower.nest;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.Node;
import dev.rialto.jit.Symbol;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.lower.Schedule;
import dev.rialto.jit.lower.arithmetic.Arithmetic;
import dev.rialto.jit.lower.arithmetic.Arithmetic.Place;
import dev.rialto.jit.lower.arithmetic.Arithmetic.Point;
import dev.rialto.jit.lower.arithmetic.Emitter;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * Loops inside a block of elements: the whole block moves along them, unrolled as scheduled.
 *
 * @param schedule how often each loop is unrolled
 * @param ranges the part of each loop that is run
 * @param buffers the buffer of a node, or of its merge buffer
 */
record Nest(
    Schedule schedule, Map<Iter, LoopRange> ranges, BiFunction<Node, Boolean, Buffer> buffers) {
  /** The code for a block of points. */
  interface Body {
    void emit(Emitter out, List<Point> points);
  }

  LoopRange range(Iter iter) {
    return requireNonNull(ranges.get(iter));
  }

  void emit(Emitter out, List<Iter> loops, List<Point> block, Body body) {
    if (loops.isEmpty()) {
      body.emit(out, block);
      return;
    }
    Iter iter = loops.getFirst();
    List<Iter> rest = loops.subList(1, loops.size());
    Expr from = range(iter).from();
    // Where a loop's end is read, there is one point.
    Expr end = new Arithmetic(out, block.getFirst(), buffers).end(iter, range(iter).to());
    for (LoopStep step : new LoopStep(schedule.unroll(iter.name()), 1).steps()) {
      Expr to = step.end(out, from, end);
      if (!from.equals(to)) {
        Var index = out.names().fresh(iter.name(), Type.I64);
        Emitter inside = out.nested();
        for (int u = 0; u < step.unroll(); u++) {
          emit(inside, rest, at(block, iter, index, u), body);
        }
        out.add(new Stmt.For(index, from, to, step.unroll(), inside.block()));
      }
      from = to;
    }
  }

  /** The block where a loop's index is {@code index + plus}. */
  static List<Point> at(List<Point> block, Iter iter, Expr index, long plus) {
    List<Point> moved = new ArrayList<>();
    for (Point point : block) {
      Map<Symbol, Place> symbols = new HashMap<>(point.symbols());
      symbols.put(iter, new Place(index, plus));
      moved.add(new Point(symbols, point.vector(), point.lanes()));
    }
    return moved;
  }
}
