package dev.rialto.jit.lower;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.Accum;
import dev.rialto.jit.Assign;
import dev.rialto.jit.Node;
import dev.rialto.jit.Scalar;
import dev.rialto.jit.Symbol;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.lower.Arithmetic.Place;
import dev.rialto.jit.lower.Arithmetic.Point;
import dev.rialto.jit.lower.Arithmetic.Value;
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
import java.util.function.BiFunction;
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
final class Lowering {
  private record Range(Expr from, Expr to) {}

  /** How much of a loop one step does. */
  private record Tile(int unroll, int lanes) {
    int width() {
      return unroll * lanes;
    }
  }

  private static final Tile SINGLE = new Tile(1, 1);

  private final Assign assign;
  private final Schedule schedule;
  private final BiFunction<Node, Boolean, Buffer> buffers;
  private final List<Iter> targets;
  private final List<Iter> reduced;
  private final boolean inMemory;

  private final Map<Symbol, Place> places = new HashMap<>();
  private final Map<Iter, Range> ranges = new HashMap<>();
  private final Map<Iter, Tile> tiles = new HashMap<>();
  private final Map<Node, Buffer> locals = new HashMap<>();
  private Scalar body;

  /**
   * Prepares an assignment.
   *
   * @param fast whether values of one element may be combined in another order
   * @param statics the value of each static index
   * @param buffers the buffer of a node, or of its merge buffer
   */
  Lowering(
      Assign assign,
      Schedule schedule,
      boolean fast,
      Map<? extends Symbol, Expr> statics,
      BiFunction<Node, Boolean, Buffer> buffers) {
    this.assign = assign;
    this.schedule = schedule;
    this.body = assign.body();
    this.buffers = buffers;
    LoopOrder order = LoopOrder.of(assign, schedule, fast);
    this.targets = new ArrayList<>(order.outer());
    this.reduced = order.inner();
    this.inMemory = order.inMemory();
    statics.forEach((symbol, value) -> places.put(symbol, new Place(value, 0)));
    for (Iter iter : assign.loops()) {
      ranges.put(iter, new Range(Expr.of(0), Expr.of(iter.size())));
    }
  }

  private Iter named(String axis) {
    return LoopOrder.named(assign, schedule, axis);
  }

  /** Says that a loop is outside, and what its index is. */
  void fix(Iter iter, Expr value) {
    targets.remove(iter);
    places.put(iter, new Place(value, 0));
  }

  /** Says that the outermost loop covers only a part. */
  void limit(Iter iter, Expr from, Expr to) {
    ranges.put(iter, new Range(from, to));
  }

  void emit(Emitter out) {
    if (inMemory && assign.fresh()) {
      clear(out);
    }
    List<Schedule.Block> blocks = new ArrayList<>(schedule.of(Schedule.Block.class));
    blocks.removeIf(block -> places.containsKey(named(block.axis())));
    blocks(out, blocks);
  }

  /** Sets the elements to the neutral value, along the loops that assign. */
  private void clear(Emitter out) {
    Scalar value = new Scalar.Const(assign.target().type(), neutral());
    List<Iter> loops = assign.targetLoops();
    Assign fill = new Assign(assign.target(), assign.index(), Accum.SET, true, loops, value);
    Set<String> axes = loops.stream().map(Iter::name).collect(Collectors.toSet());
    Schedule steps =
        new Schedule(
            schedule.steps().stream()
                .filter(s -> s instanceof Schedule.Parallel || s instanceof Schedule.Vector)
                .filter(s -> axes.contains(s.axis()))
                .toList());
    Lowering lowering = new Lowering(fill, steps, false, Map.of(), buffers);
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
    Range range = requireNonNull(ranges.get(iter));
    Var index = out.names().fresh(iter.name() + "_block", Type.I64);
    Expr end = Ir.index(BinaryOp.ADD, index, Expr.of((long) block.size()));
    ranges.put(iter, new Range(index, Ir.min(end, range.to())));
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
    Range range = requireNonNull(ranges.get(iter));
    boolean summed = assign.index().stream().allMatch(a -> a.factor(iter) == 0);
    Tile tile =
        summed ? SINGLE : new Tile(schedule.unroll(iter.name()), schedule.lanes(iter.name()));
    Expr from = range.from();
    for (Tile step : steps(tile)) {
      Expr to = step.width() == 1 ? range.to() : wholeSteps(out, from, range.to(), step.width());
      if (!from.equals(to)) {
        Var index = out.names().fresh(iter.name(), Type.I64);
        places.put(iter, new Place(index, 0));
        tiles.put(iter, step);
        Emitter inside = out.nested();
        Scalar before = body;
        body = cached(inside, iter, depth, step);
        loop(inside, depth + 1);
        body = before;
        out.add(new Stmt.For(index, from, to, step.width(), inside.block()));
      }
      from = to;
    }
  }

  /** The whole tile first, then what is left in vectors, then one by one. */
  private static List<Tile> steps(Tile tile) {
    List<Tile> steps = new ArrayList<>();
    if (tile.width() > 1) {
      steps.add(tile);
    }
    if (tile.unroll() > 1 && tile.lanes() > 1) {
      steps.add(new Tile(1, tile.lanes()));
    }
    steps.add(SINGLE);
    return steps;
  }

  private static Expr wholeSteps(Emitter out, Expr from, Expr to, int width) {
    Expr length = Ir.index(BinaryOp.SUB, to, from);
    Expr whole =
        Ir.index(BinaryOp.MUL, Ir.index(BinaryOp.DIV, length, Expr.of(width)), Expr.of(width));
    return out.let(Ir.index(BinaryOp.ADD, from, whole));
  }

  // --- The block of elements --------------------------------------------------------------------

  private void inner(Emitter out) {
    List<Map<Symbol, Place>> points = new ArrayList<>(List.of(places));
    @Nullable Iter vector = null;
    int lanes = 1;
    for (Iter iter : targets) {
      Tile tile = requireNonNull(tiles.get(iter));
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
    if (reduced.isEmpty() || assign.accum() == Accum.SET) {
      elementwise(out, block);
    } else {
      reduction(out, block);
    }
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

  private Arithmetic arithmetic(Emitter out, Point point) {
    return new Arithmetic(out, point, this::buffer);
  }

  private Buffer buffer(Node node, boolean merged) {
    Buffer local = merged ? null : locals.get(node);
    return local != null ? local : buffers.apply(node, merged);
  }

  // --- Caching ----------------------------------------------------------------------------------

  /**
   * Copies what the inner loops read of a cached node into a local array, in the order in which
   * they read it, and returns the body that reads the copy. It is done in the loop over the tiles
   * that the node is read along, if that is the outermost loop and what is copied is whole tiles.
   */
  private Scalar cached(Emitter out, Iter iter, int depth, Tile step) {
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
    nest(
        out,
        panel.walked(),
        block,
        (inner, points) ->
            points.forEach(
                point -> {
                  Arithmetic arithmetic = arithmetic(inner, point);
                  Value value = arithmetic.value(panel.read());
                  arithmetic.store(panel.copy().node(), panel.copy().index(), value);
                }));
    return panel.replaceIn(body);
  }

  private boolean startsNeutral() {
    return assign.fresh() && assign.isInjective() && !inMemory;
  }

  private void elementwise(Emitter out, List<Point> block) {
    if (!reduced.isEmpty()) {
      nest(out, reduced, block, (body, points) -> points.forEach(point -> assignOne(body, point)));
      return;
    }
    block.forEach(point -> assignOne(out, point));
  }

  private void assignOne(Emitter out, Point point) {
    Arithmetic arithmetic = arithmetic(out, point);
    Value value = arithmetic.value(body);
    if (assign.accum() != Accum.SET) {
      Value old =
          startsNeutral()
              ? Arithmetic.constant(assign.target().type(), neutral())
              : arithmetic.load(assign.target(), assign.index(), false);
      value = arithmetic.combine(assign.accum(), assign.target().type(), old, value);
    }
    arithmetic.store(assign.target(), assign.index(), value);
  }

  private double neutral() {
    return assign.accum().neutral(assign.target().type());
  }

  private void reduction(Emitter out, List<Point> block) {
    String axis = schedule.first(Schedule.Vector.class);
    Iter last = reduced.getLast();
    boolean across = last.name().equals(axis);
    List<Value> totals = new ArrayList<>();
    for (Point point : block) {
      totals.add(
          variables(
              out,
              startsNeutral()
                  ? Arithmetic.constant(assign.target().type(), neutral())
                  : arithmetic(out, point).load(assign.target(), assign.index(), false),
              point.lanes()));
    }
    List<Iter> outer = across ? reduced.subList(0, reduced.size() - 1) : reduced;
    nest(
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
      arithmetic(out, block.get(i)).store(assign.target(), assign.index(), totals.get(i));
    }
  }

  private interface Body {
    void emit(Emitter out, List<Point> points);
  }

  private void nest(Emitter out, List<Iter> loops, List<Point> block, Body body) {
    if (loops.isEmpty()) {
      body.emit(out, block);
      return;
    }
    Iter iter = loops.getFirst();
    List<Iter> rest = loops.subList(1, loops.size());
    Range range = requireNonNull(ranges.get(iter));
    Expr from = range.from();
    for (Tile step : steps(new Tile(schedule.unroll(iter.name()), 1))) {
      Expr to = step.width() == 1 ? range.to() : wholeSteps(out, from, range.to(), step.width());
      if (!from.equals(to)) {
        Var index = out.names().fresh(iter.name(), Type.I64);
        Emitter inside = out.nested();
        for (int u = 0; u < step.unroll(); u++) {
          nest(inside, rest, at(block, iter, index, u), body);
        }
        out.add(new Stmt.For(index, from, to, step.unroll(), inside.block()));
      }
      from = to;
    }
  }

  private static List<Point> at(List<Point> block, Iter iter, Expr index, long plus) {
    List<Point> moved = new ArrayList<>();
    for (Point point : block) {
      Map<Symbol, Place> symbols = new HashMap<>(point.symbols());
      symbols.put(iter, new Place(index, plus));
      moved.add(new Point(symbols, point.vector(), point.lanes()));
    }
    return moved;
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
      Arithmetic arithmetic = arithmetic(out, points.get(i));
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
    Range range = requireNonNull(ranges.get(iter));
    Expr whole = wholeSteps(out, range.from(), range.to(), lanes * unroll);
    List<List<Value>> partial = new ArrayList<>();
    for (int i = 0; i < points.size(); i++) {
      List<Value> sums = new ArrayList<>();
      for (int u = 0; u < unroll; u++) {
        sums.add(variables(out, Arithmetic.constant(assign.target().type(), neutral()), lanes));
      }
      partial.add(sums);
    }
    Var index = out.names().fresh(iter.name(), Type.I64);
    Emitter inside = out.nested();
    for (int i = 0; i < points.size(); i++) {
      for (int u = 0; u < unroll; u++) {
        Map<Symbol, Place> symbols = new HashMap<>(points.get(i).symbols());
        symbols.put(iter, new Place(index, (long) u * lanes));
        Arithmetic arithmetic = arithmetic(inside, new Point(symbols, iter, lanes));
        add(inside, arithmetic, partial.get(i).get(u), arithmetic.value(body));
      }
    }
    out.add(new Stmt.For(index, range.from(), whole, (long) lanes * unroll, inside.block()));
    for (int i = 0; i < points.size(); i++) {
      Arithmetic arithmetic = arithmetic(out, points.get(i));
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
    accumulate(tail, at(points, iter, rest, 0), totals);
    out.add(new Stmt.For(rest, whole, range.to(), 1, tail.block()));
  }
}
