package dev.rialto.jit.lower.nest;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.Accum;
import dev.rialto.jit.Assign;
import dev.rialto.jit.Node;
import dev.rialto.jit.ScalarExpression;
import dev.rialto.jit.Symbol;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.loops.Ir;
import dev.rialto.jit.lower.Schedule;
import dev.rialto.jit.lower.arithmetic.Arithmetic;
import dev.rialto.jit.lower.arithmetic.Arithmetic.Place;
import dev.rialto.jit.lower.arithmetic.Arithmetic.Point;
import dev.rialto.jit.lower.arithmetic.Arithmetic.Value;
import dev.rialto.jit.lower.arithmetic.Emitter;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Turns one assignment and its schedule into loops.
 *
 * <p>Loops over the target's elements come first. Inside them, a block of elements that unrolling
 * and vectors make is kept in variables while the loops that are summed over run, and stored once.
 * Each element's values are combined in the order of the plain loops, whatever the schedule, unless
 * the schedule makes a vector of a summed loop.
 *
 * <p>Where a block does not divide a loop, the rest runs with smaller blocks in loops of its own.
 */
public final class Lowering {
  private final Assign assign;
  private final Schedule schedule;
  private final Scope scope;
  private final List<Iter> targets;
  private final List<Iter> reduced;
  private final boolean inMemory;

  private final List<Iter> fixed = new ArrayList<>();
  private final Map<Symbol, Place> places = new HashMap<>();
  private final Map<Iter, LoopRange> ranges = new HashMap<>();
  private final Map<Iter, LoopStep> tiles = new HashMap<>();
  private final Map<Node, Buffer> locals = new HashMap<>();
  private ScalarExpression body;
  private boolean atomic;

  /** Prepares an assignment. */
  public Lowering(Assign assign, Schedule schedule, Scope scope) {
    this.assign = assign;
    this.schedule = schedule;
    this.body = assign.body();
    this.scope = scope;
    LoopOrder order = LoopOrder.of(assign, schedule, scope.fast());
    this.targets = new ArrayList<>(order.outer());
    this.reduced = order.inner();
    this.inMemory = order.inMemory();
    scope.statics().forEach((symbol, value) -> places.put(symbol, new Place(value, 0)));
    for (Iter iter : assign.loops()) {
      ranges.put(iter, new LoopRange(Expr.of(0), Expr.of(iter.size())));
    }
  }

  private Iter named(String axis) {
    return LoopOrder.named(assign, schedule, axis);
  }

  /** Says that a loop is outside, and what its index is. */
  public void fix(Iter iter, Expr value) {
    fix(iter, value, 1);
  }

  /** Says that a loop is outside, its index, and how many elements from there are one block. */
  public void fix(Iter iter, Expr value, int times) {
    targets.remove(iter);
    fixed.add(iter);
    places.put(iter, new Place(value, 0));
    tiles.put(iter, new LoopStep(times, 1));
  }

  /** Says that other threads combine values with the same elements. */
  public void atomically() {
    atomic = true;
  }

  /** Says that the outermost loop covers only a part. */
  public void limit(Iter iter, Expr from, Expr to) {
    ranges.put(iter, new LoopRange(from, to));
  }

  public void emit(Emitter out) {
    if (inMemory && assign.fresh()) {
      clear(out);
    }
    List<Schedule.Block> blocks = new ArrayList<>(schedule.of(Schedule.Block.class));
    blocks.removeIf(block -> places.containsKey(named(block.axis())));
    @Nullable Expr inside = null;
    Arithmetic arithmetic = new Arithmetic(out, new Point(places, null, 1), this::buffer);
    for (Iter iter : fixed) {
      if (iter.end() != null) {
        Expr at = requireNonNull(places.get(iter)).base();
        Expr here = out.binary(BinaryOp.LT, at, arithmetic.end(iter, Expr.of(iter.size())));
        inside = inside == null ? here : out.binary(BinaryOp.AND, inside, here);
      }
    }
    Emitter within = inside == null ? out : out.nested();
    blocks(within, blocks);
    if (inside != null) {
      out.add(new Stmt.If(inside, within.block()));
    }
  }

  /** Sets the elements to the neutral value, along the loops that assign. */
  private void clear(Emitter out) {
    ScalarExpression value = assign.accum().neutral(assign.target().type());
    List<Iter> loops = assign.targetLoops();
    Assign fill = new Assign(assign.target(), assign.index(), Accum.SET, true, loops, value);
    Set<String> axes = loops.stream().map(Iter::name).collect(Collectors.toSet());
    Schedule steps =
        new Schedule(
            schedule.steps().stream()
                .filter(s -> s instanceof Schedule.Parallel || s instanceof Schedule.Vector)
                .filter(s -> axes.contains(s.axis()))
                .toList());
    Lowering lowering = new Lowering(fill, steps, scope);
    lowering.places.putAll(places);
    lowering.targets.removeIf(places::containsKey);
    lowering.ranges.putAll(ranges);
    lowering.emit(out);
  }

  private void blocks(Emitter out, List<Schedule.Block> blocks) {
    if (blocks.isEmpty()) {
      loop(out, 0);
      return;
    }
    Schedule.Block block = blocks.removeFirst();
    Iter iter = named(block.axis());
    LoopRange range = requireNonNull(ranges.get(iter));
    Var index = out.names().fresh(iter.name() + "_block", Type.I64);
    Expr end = Ir.index(BinaryOp.ADD, index, Expr.of((long) block.size()));
    ranges.put(iter, new LoopRange(index, Ir.min(end, range.to())));
    Emitter body = out.nested();
    blocks(body, blocks);
    out.add(new Stmt.For(index, range.from(), range.to(), block.size(), body.block()));
    ranges.put(iter, range);
  }

  private void loop(Emitter out, int depth) {
    if (depth == targets.size()) {
      inner(out);
      return;
    }
    Iter iter = targets.get(depth);
    LoopRange whole = requireNonNull(ranges.get(iter));
    Arithmetic arithmetic = new Arithmetic(out, new Point(places, null, 1), this::buffer);
    LoopRange range = new LoopRange(whole.from(), arithmetic.end(iter, whole.to()));
    boolean summed = assign.index().stream().noneMatch(a -> a.dependsOn(iter));
    LoopStep tile =
        summed
            ? LoopStep.SINGLE
            : new LoopStep(schedule.unroll(iter.name()), schedule.lanes(iter.name()));
    Expr from = range.from();
    for (LoopStep step : tile.steps()) {
      Expr to = step.end(out, from, range.to());
      if (!from.equals(to)) {
        Var index = out.names().fresh(iter.name(), Type.I64);
        places.put(iter, new Place(index, 0));
        tiles.put(iter, step);
        Emitter inside = out.nested();
        ScalarExpression before = body;
        body = cached(inside, iter, depth, step);
        loop(inside, depth + 1);
        body = before;
        out.add(new Stmt.For(index, from, to, step.width(), inside.block()));
      }
      from = to;
    }
  }

  // --- The block of elements --------------------------------------------------------------------

  private void inner(Emitter out) {
    List<Map<Symbol, Place>> points = new ArrayList<>(List.of(places));
    @Nullable Iter vector = null;
    int lanes = 1;
    for (Iter iter : fixed) {
      points = unroll(points, iter, requireNonNull(tiles.get(iter)).unroll(), 1);
    }
    for (Iter iter : targets) {
      LoopStep tile = requireNonNull(tiles.get(iter));
      if (tile.lanes() > 1) {
        vector = iter;
        lanes = tile.lanes();
      }
      points = unroll(points, iter, tile.unroll(), tile.lanes());
    }
    List<Point> block = new ArrayList<>();
    for (Map<Symbol, Place> symbols : points) {
      block.add(new Point(symbols, vector, lanes));
    }
    boolean neutral = assign.fresh() && assign.isInjective() && !inMemory;
    Nest nest = new Nest(schedule, ranges, this::buffer);
    new ElementBlock(assign, body, schedule, atomic, neutral, nest, this::buffer)
        .emit(out, reduced, block);
  }

  private static List<Map<Symbol, Place>> unroll(
      List<Map<Symbol, Place>> points, Symbol symbol, int times, int stride) {
    List<Map<Symbol, Place>> result = new ArrayList<>();
    for (Map<Symbol, Place> point : points) {
      for (int u = 0; u < times; u++) {
        Map<Symbol, Place> copy = new HashMap<>(point);
        Place place = requireNonNull(point.get(symbol));
        copy.put(symbol, new Place(place.base(), place.plus() + (long) u * stride));
        result.add(copy);
      }
    }
    return result;
  }

  private Buffer buffer(Node node, boolean merged) {
    Buffer local = merged ? null : locals.get(node);
    return local != null ? local : scope.buffers().apply(node, merged);
  }

  // --- Caching ----------------------------------------------------------------------------------

  /**
   * Copies what the inner loops read of a cached node into a local array, in the order in which
   * they read it, and returns the body that reads the copy. It is done in the loop over the tiles
   * that the node is read along, if that is the outermost loop and what is copied is whole tiles.
   */
  private ScalarExpression cached(Emitter out, Iter iter, int depth, LoopStep step) {
    String name = schedule.first(Schedule.Cache.class);
    if (name.isEmpty() || depth > 0 || step.lanes() == 1) {
      return body;
    }
    Panel panel = Panel.of(name, body, iter, step.width(), reduced, out.names());
    out.add(new Stmt.Array(panel.local()));
    places.put(panel.start(), requireNonNull(places.get(iter)));
    locals.put(panel.copy().node(), panel.local());
    List<Point> block = new ArrayList<>();
    for (Map<Symbol, Place> symbols : unroll(List.of(places), iter, step.unroll(), step.lanes())) {
      block.add(new Point(symbols, iter, step.lanes()));
    }
    new Nest(schedule, ranges, this::buffer)
        .emit(
            out,
            panel.walked(),
            block,
            (inner, points) ->
                points.forEach(
                    point -> {
                      Arithmetic arithmetic = new Arithmetic(inner, point, this::buffer);
                      Value value = arithmetic.value(panel.read());
                      arithmetic.store(panel.copy().node(), panel.copy().index(), value);
                    }));
    return panel.replaceIn(body);
  }
}
