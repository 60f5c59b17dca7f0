package dev.rialto.jit.lower;

import dev.rialto.jit.Accum;
import dev.rialto.jit.Affine;
import dev.rialto.jit.Assign;
import dev.rialto.jit.Node;
import dev.rialto.jit.ScalarExpression;
import dev.rialto.jit.Symbol;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.lower.Arithmetic.Place;
import dev.rialto.jit.lower.Arithmetic.Point;
import dev.rialto.jit.lower.Arithmetic.Value;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;

/**
 * Sums (products, extremes) of many values for few elements on a GPU, where order may change: a
 * block of threads for each element. Threads walk through the values side by side, then warps
 * combine what their threads have without memory, then the first thread what the warps have.
 *
 * <p>Where there are fewer elements than would keep a GPU busy, {@link #split} makes parts of them
 * first.
 */
final class BlockSum {
  static final int BLOCK = 256;
  private static final long MOST_ELEMENTS = 1 << 15;
  private static final long FEWEST_VALUES = BLOCK;

  /** Blocks that keep any GPU of today busy. */
  private static final long BUSY = 2048;

  private BlockSum() {}

  /** Whether an assignment is one, if order may change. */
  static boolean is(Assign a) {
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

  static long items(Assign a) {
    return product(a.targetLoops()) * BLOCK;
  }

  /**
   * Makes two assignments of one whose elements are too few: to parts of them, and of the parts.
   */
  static List<Assign> split(Assign a) {
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
        Assign.of(
            a.target(),
            a.index(),
            a.accum(),
            a.fresh(),
            new ScalarExpression.Read(sums, index, false)));
  }

  /** Writes the kernel's body. */
  static String body(
      Assign a,
      Map<Symbol, Expr> statics,
      List<Stmt> before,
      BiFunction<Node, Boolean, Buffer> buffers,
      Emitter.Names names) {
    Emitter head = new Emitter(names);
    before.forEach(head::add);
    Map<Symbol, Place> places = new HashMap<>();
    statics.forEach((symbol, value) -> places.put(symbol, new Place(value, 0)));
    Var element = new Var("element", Type.I64);
    place(head, element, a.targetLoops(), places);
    DType type = a.target().type();
    Value neutral = Arithmetic.constant(a.accum().neutral(type));
    Var sum = new Var("sum", neutral.re().type());
    Var other = new Var("other", neutral.re().type());
    head.add(new Stmt.Let(sum, neutral.re()));

    Emitter inner = head.nested();
    Map<Symbol, Place> all = new HashMap<>(places);
    Var number = new Var("number", Type.I64);
    place(inner, number, a.reducedLoops(), all);
    Arithmetic values = new Arithmetic(inner, new Point(all, null, 1), buffers);
    Value next = values.combine(a.accum(), type, Value.of(sum), values.value(a.body()));
    inner.add(new Stmt.Assign(sum, next.re()));

    Emitter merge = head.nested();
    Arithmetic merging = new Arithmetic(merge, new Point(places, null, 1), buffers);
    merge.add(
        new Stmt.Assign(
            sum, merging.combine(a.accum(), type, Value.of(sum), Value.of(other)).re()));

    Emitter last = head.nested();
    Arithmetic storing = new Arithmetic(last, new Point(places, null, 1), buffers);
    Value total = Value.of(sum);
    if (!a.fresh()) {
      Value old = storing.load(a.target(), a.index(), false);
      total = storing.combine(a.accum(), type, old, total);
    }
    storing.store(a.target(), a.index(), total);

    String kind = new CExpressions(CExpressions.Dialect.CUDA).type(sum.type());
    return "  int64_t element = blockIdx.x;\n"
        + CPrinter.cuda(head.block(), 1)
        + "  for (int64_t number = threadIdx.x; number < "
        + product(a.reducedLoops())
        + "LL; number += "
        + BLOCK
        + ") {\n"
        + CPrinter.cuda(inner.block(), 2)
        + "  }\n"
        + "  for (int far = 16; far > 0; far /= 2) {\n"
        + "    "
        + kind
        + " other = __shfl_down_sync(0xffffffffu, sum, far);\n"
        + CPrinter.cuda(merge.block(), 2)
        + "  }\n"
        + "  __shared__ "
        + kind
        + " warps[32];\n"
        + "  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = sum;\n"
        + "  __syncthreads();\n"
        + "  if (threadIdx.x != 0) return;\n"
        + "  for (int warp = 1; warp < "
        + BLOCK / 32
        + "; warp++) {\n"
        + "    "
        + kind
        + " other = warps[warp];\n"
        + CPrinter.cuda(merge.block(), 2)
        + "  }\n"
        + CPrinter.cuda(last.block(), 1);
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
