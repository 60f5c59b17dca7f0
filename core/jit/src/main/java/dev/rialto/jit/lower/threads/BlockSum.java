package dev.rialto.jit.lower.threads;

import dev.rialto.jit.Accum;
import dev.rialto.jit.Affine;
import dev.rialto.jit.Assign;
import dev.rialto.jit.Node;
import dev.rialto.jit.ScalarExpression;
import dev.rialto.jit.ScalarExpression.Read;
import dev.rialto.jit.Symbol;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.lower.arithmetic.Arithmetic;
import dev.rialto.jit.lower.arithmetic.Arithmetic.Place;
import dev.rialto.jit.lower.arithmetic.Arithmetic.Point;
import dev.rialto.jit.lower.arithmetic.Arithmetic.Value;
import dev.rialto.jit.lower.arithmetic.Emitter;
import dev.rialto.jit.lower.nest.Scope;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Sums (products, extremes) of many values for few elements on a GPU, where order may change: a
 * block of threads for each element. Threads walk through the values side by side, then subgroups
 * combine what their threads have without memory, then the first thread what the subgroups have;
 * where subgroups do not exchange values, halves of the block combine theirs in shared memory.
 *
 * <p>Where there are fewer elements than would keep a GPU busy, {@link #split} makes parts of them
 * first.
 */
public final class BlockSum {
  static final int BLOCK = 256;
  private static final long MOST_ELEMENTS = 1 << 15;
  private static final long FEWEST_VALUES = BLOCK;

  /** Blocks that keep any GPU of today busy. */
  private static final long BUSY = 2048;

  private BlockSum() {}

  /** Whether an assignment is one, if order may change. */
  public static boolean is(Assign a) {
    DType type = a.target().type();
    return a.accum() != Accum.SET
        && a.isInjective()
        && !a.hasEnds()
        && type.kind() != DType.Kind.COMPLEX
        && type.size() >= 4
        && product(a.targetLoops()) <= MOST_ELEMENTS
        && product(a.reducedLoops()) >= FEWEST_VALUES
        && a.reads().stream().noneMatch(read -> read.node() == a.target());
  }

  private static long product(List<Iter> loops) {
    return loops.stream().mapToLong(Iter::size).reduce(1, Math::multiplyExact);
  }

  public static long items(Assign a) {
    return product(a.targetLoops());
  }

  /**
   * Makes two assignments of one whose elements are too few: to parts of them, and of the parts.
   */
  public static List<Assign> split(Assign a) {
    Iter longest = a.reducedLoops().getFirst();
    long wanted = BUSY / Math.max(1, product(a.targetLoops()));
    long parts = 1;
    while (2 * parts <= wanted
        && longest.size() % (2 * parts) == 0
        && product(a.reducedLoops()) / (2 * parts) >= 8 * FEWEST_VALUES) {
      parts *= 2;
    }
    if (parts < 16) {
      return List.of(a);
    }
    Iter part = new Iter(longest.name() + "_part", parts);
    Iter inner = new Iter(longest.name(), longest.size() / parts);
    Affine place = Affine.of(part).times(inner.size()).plus(Affine.of(inner));
    List<Affine> index = new ArrayList<>();
    List<Long> extents = new ArrayList<>();
    for (Iter loop : a.targetLoops()) {
      index.add(Affine.of(loop));
      extents.add(loop.size());
    }
    index.add(Affine.of(part));
    extents.add(parts);
    Node sums =
        new Node(
            a.target().name() + ".parts",
            a.target().type(),
            Shape.of(extents.stream().mapToLong(Long::longValue).toArray()));
    ScalarExpression body =
        a.body().replace(symbol -> symbol == longest ? place : Affine.of(symbol));
    return List.of(
        Assign.of(sums, index, a.accum(), true, body),
        Assign.of(a.target(), a.index(), a.accum(), a.fresh(), new Read(sums, index, false)));
  }

  /**
   * Writes the loop over the elements, whose turns are blocks of threads.
   *
   * @param exchanges whether threads of a subgroup exchange values, or all through shared memory
   */
  public static Stmt body(Assign a, Scope scope, boolean exchanges, Emitter.Names names) {
    Map<Symbol, Place> places = new HashMap<>();
    scope.statics().forEach((symbol, value) -> places.put(symbol, new Place(value, 0)));
    Var element = names.fresh("element", Type.I64);
    Var local = names.fresh("local", Type.I64);
    Emitter thread = new Emitter(names);
    place(thread, element, a.targetLoops(), places);
    DType type = a.target().type();
    Value neutral = Arithmetic.constant(a.accum().neutral(type));
    Var sum = names.fresh("sum", neutral.re().type());
    thread.add(new Stmt.Let(sum, neutral.re()));

    Emitter inner = thread.nested();
    Map<Symbol, Place> all = new HashMap<>(places);
    Var number = names.fresh("number", Type.I64);
    place(inner, number, a.reducedLoops(), all);
    Arithmetic values = new Arithmetic(inner, new Point(all, null, 1), scope.buffers());
    combine(inner, a, sum, values.value(a.body()).re());
    thread.add(
        new Stmt.For(number, local, Expr.of(product(a.reducedLoops())), BLOCK, inner.block()));

    Buffer.Storage storage = Arithmetic.storage(type);
    int parts = exchanges ? BLOCK / Stmt.SUBGROUP : BLOCK;
    Buffer partial = new Buffer(names.fresh("partial", Type.I64).name(), storage, parts, true);
    Emitter first = thread.nested();
    if (exchanges) {
      exchange(thread, a, sum, local, partial);
      for (int part = 1; part < parts; part++) {
        combine(first, a, sum, first.let(new Expr.Load(partial, Expr.of(part), 1)));
      }
    } else {
      halve(thread, a, sum, local, partial);
    }
    Arithmetic storing = new Arithmetic(first, new Point(places, null, 1), scope.buffers());
    Value total = Value.of(sum);
    if (!a.fresh()) {
      Value old = storing.load(a.target(), a.index(), false);
      total = storing.combine(a.accum(), type, old, total);
    }
    storing.store(a.target(), a.index(), total);
    thread.add(new Stmt.If(thread.binary(BinaryOp.EQ, local, Expr.of(0)), first.block()));

    Stmt items = new Stmt.Items(local, Expr.of(BLOCK), BLOCK, thread.block());
    return new Stmt.For(
        element,
        scope.begin(),
        scope.end(),
        1,
        new Stmt.Block(List.of(new Stmt.Array(partial), items)));
  }

  private static void combine(Emitter out, Assign a, Var sum, Expr value) {
    Arithmetic arithmetic = new Arithmetic(out, new Point(Map.of(), null, 1), (_, _) -> unused());
    Value next = arithmetic.combine(a.accum(), a.target().type(), Value.of(sum), Value.of(value));
    out.add(new Stmt.Assign(sum, next.re()));
  }

  private static Buffer unused() {
    throw new IllegalStateException("combining two values reads no memory");
  }

  /** Subgroups combine what their threads have, and leave it for the first thread. */
  private static void exchange(Emitter out, Assign a, Var sum, Var local, Buffer partial) {
    Expr lane = out.binary(BinaryOp.AND, local, Expr.of(Stmt.SUBGROUP - 1L));
    for (int far = Stmt.SUBGROUP / 2; far > 0; far /= 2) {
      Var other = out.names().fresh("other", sum.type());
      out.add(new Stmt.Let(other, Emitter.constant(sum, 0)));
      Expr from = out.convert(Type.Kind.I32, out.binary(BinaryOp.XOR, lane, Expr.of((long) far)));
      out.add(new Stmt.Exchange(other, Stmt.ExchangeOp.SHUFFLE, sum, from));
      combine(out, a, sum, other);
    }
    Expr group = out.binary(BinaryOp.DIV, local, Expr.of(Stmt.SUBGROUP));
    Stmt leave = new Stmt.Store(partial, group, sum);
    out.add(new Stmt.If(out.binary(BinaryOp.EQ, lane, Expr.of(0)), leave));
    out.add(new Stmt.Barrier());
  }

  /** Half of the threads add what the other half left, until one thread has all. */
  private static void halve(Emitter out, Assign a, Var sum, Var local, Buffer partial) {
    out.add(new Stmt.Store(partial, local, sum));
    out.add(new Stmt.Barrier());
    for (int far = BLOCK / 2; far > 0; far /= 2) {
      Emitter near = out.nested();
      Expr other = out.add(local, Expr.of(far));
      combine(near, a, sum, near.let(new Expr.Load(partial, other, 1)));
      near.add(new Stmt.Store(partial, local, sum));
      out.add(new Stmt.If(out.binary(BinaryOp.LT, local, Expr.of(far)), near.block()));
      out.add(new Stmt.Barrier());
    }
  }

  private static void place(Emitter out, Var number, List<Iter> loops, Map<Symbol, Place> places) {
    if (loops.isEmpty()) {
      return;
    }
    List<Expr> index = Threads.split(out, number, loops.stream().map(Iter::size).toList());
    for (int i = 0; i < loops.size(); i++) {
      places.put(loops.get(i), new Place(index.get(i), 0));
    }
  }
}
