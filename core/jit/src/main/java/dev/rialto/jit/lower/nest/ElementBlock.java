package dev.rialto.jit.lower.nest;

import dev.rialto.jit.Accum;
import dev.rialto.jit.Assign;
import dev.rialto.jit.Node;
import dev.rialto.jit.ScalarExpression;
import dev.rialto.jit.Symbol;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.lower.Schedule;
import dev.rialto.jit.lower.arithmetic.Arithmetic;
import dev.rialto.jit.lower.arithmetic.Arithmetic.Place;
import dev.rialto.jit.lower.arithmetic.Arithmetic.Point;
import dev.rialto.jit.lower.arithmetic.Arithmetic.Value;
import dev.rialto.jit.lower.arithmetic.Emitter;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * Computes a block of elements: each once, or kept in variables while the loops that are summed
 * over run, and stored at the end. Several chains of sums at once hide the latency of adding.
 *
 * @param assign what is computed
 * @param body its value, which may read copies in local arrays instead of nodes
 * @param schedule says which summed loop is a vector
 * @param atomic whether other threads combine values with the same elements
 * @param startsNeutral whether elements start at the neutral value instead of at what they hold
 * @param nest runs the loops that are summed over
 * @param buffers the buffer of a node, or of its merge buffer
 */
record ElementBlock(
    Assign assign,
    ScalarExpression body,
    Schedule schedule,
    boolean atomic,
    boolean startsNeutral,
    Nest nest,
    BiFunction<Node, Boolean, Buffer> buffers) {

  void emit(Emitter out, List<Iter> reduced, List<Point> block) {
    if (reduced.isEmpty() || assign.accum() == Accum.SET) {
      nest.emit(out, reduced, block, (inner, points) -> points.forEach(p -> assignOne(inner, p)));
    } else {
      reduction(out, reduced, block);
    }
  }

  private Arithmetic at(Emitter out, Point point) {
    return new Arithmetic(out, point, buffers);
  }

  /** Combines an element with its value, unless data says that the element is elsewhere. */
  private void assignOne(Emitter out, Point point) {
    Expr inside = at(out, point).inside(assign.target(), assign.index());
    if (inside == null) {
      assignInside(out, point);
      return;
    }
    Emitter within = out.nested();
    assignInside(within, point);
    out.add(new Stmt.If(inside, within.block()));
  }

  private void assignInside(Emitter out, Point point) {
    Arithmetic arithmetic = at(out, point);
    Value value = arithmetic.value(body);
    if (atomic) {
      arithmetic.combineAtomically(assign.accum(), assign.target(), assign.index(), value);
      return;
    }
    if (assign.accum() != Accum.SET) {
      value = arithmetic.combine(assign.accum(), assign.target().type(), old(arithmetic), value);
    }
    arithmetic.store(assign.target(), assign.index(), value);
  }

  private Value old(Arithmetic arithmetic) {
    return startsNeutral ? neutral() : arithmetic.load(assign.target(), assign.index(), false);
  }

  private Value neutral() {
    DType type = assign.target().type();
    return Arithmetic.constant(assign.accum().neutral(type));
  }

  private void reduction(Emitter out, List<Iter> reduced, List<Point> block) {
    String axis = schedule.first(Schedule.Vector.class);
    Iter last = reduced.getLast();
    boolean across = last.name().equals(axis);
    List<Value> totals = new ArrayList<>();
    for (Point point : block) {
      totals.add(variables(out, old(at(out, point)), point.lanes()));
    }
    List<Iter> outer = across ? reduced.subList(0, reduced.size() - 1) : reduced;
    nest.emit(
        out,
        outer,
        block,
        (body, points) -> {
          if (across) {
            accumulateAcross(body, points, last, totals);
          } else {
            accumulate(body, points, totals);
          }
        });
    for (int i = 0; i < block.size(); i++) {
      at(out, block.get(i)).store(assign.target(), assign.index(), totals.get(i));
    }
  }

  private Value variables(Emitter out, Value first, int lanes) {
    Var re = out.names().fresh("sum", first.re().type().withLanes(lanes));
    out.add(new Stmt.Let(re, Emitter.spread(first.re(), lanes)));
    if (first.im() == null) {
      return Value.of(re);
    }
    Var im = out.names().fresh("sum", first.re().type().withLanes(lanes));
    out.add(new Stmt.Let(im, Emitter.spread(first.im(), lanes)));
    return new Value(re, im);
  }

  private void accumulate(Emitter out, List<Point> points, List<Value> totals) {
    for (int i = 0; i < points.size(); i++) {
      Arithmetic arithmetic = at(out, points.get(i));
      add(out, arithmetic, totals.get(i), arithmetic.value(body));
    }
  }

  private void add(Emitter out, Arithmetic arithmetic, Value total, Value value) {
    Value next = arithmetic.combine(assign.accum(), assign.target().type(), total, value);
    out.add(
        new Stmt.Assign((Var) total.re(), Emitter.spread(next.re(), total.re().type().lanes())));
    if (total.im() instanceof Var im) {
      out.add(new Stmt.Assign(im, next.imaginary()));
    }
  }

  /** Sums vectors of a loop's values, several at once, then their lanes, then the rest. */
  private void accumulateAcross(Emitter out, List<Point> points, Iter iter, List<Value> totals) {
    int lanes = schedule.lanes(iter.name());
    int unroll = schedule.unroll(iter.name());
    LoopRange range = nest.range(iter);
    Expr whole = new LoopStep(unroll, lanes).end(out, range.from(), range.to());
    List<List<Value>> partial = new ArrayList<>();
    for (int i = 0; i < points.size(); i++) {
      List<Value> sums = new ArrayList<>();
      for (int u = 0; u < unroll; u++) {
        sums.add(variables(out, neutral(), lanes));
      }
      partial.add(sums);
    }
    Var index = out.names().fresh(iter.name(), Type.I64);
    Emitter inside = out.nested();
    for (int i = 0; i < points.size(); i++) {
      for (int u = 0; u < unroll; u++) {
        Map<Symbol, Place> symbols = new HashMap<>(points.get(i).symbols());
        symbols.put(iter, new Place(index, (long) u * lanes));
        Arithmetic arithmetic = at(inside, new Point(symbols, iter, lanes));
        add(inside, arithmetic, partial.get(i).get(u), arithmetic.value(body));
      }
    }
    out.add(new Stmt.For(index, range.from(), whole, (long) lanes * unroll, inside.block()));
    for (int i = 0; i < points.size(); i++) {
      Arithmetic arithmetic = at(out, points.get(i));
      Value sum = partial.get(i).get(0);
      for (int u = 1; u < unroll; u++) {
        sum =
            arithmetic.combine(assign.accum(), assign.target().type(), sum, partial.get(i).get(u));
      }
      for (int lane = 0; lane < lanes; lane++) {
        add(out, arithmetic, totals.get(i), Value.of(new Expr.Lane(sum.re(), lane)));
      }
    }
    Var rest = out.names().fresh(iter.name(), Type.I64);
    Emitter tail = out.nested();
    accumulate(tail, Nest.at(points, iter, rest, 0), totals);
    out.add(new Stmt.For(rest, whole, range.to(), 1, tail.block()));
  }
}
