package dev.rialto.jit.lower.arithmetic;

import static dev.rialto.spi.code.Expr.BinaryOp.ADD;
import static dev.rialto.spi.code.Expr.BinaryOp.AND;
import static dev.rialto.spi.code.Expr.BinaryOp.LE;
import static dev.rialto.spi.code.Expr.BinaryOp.LT;
import static dev.rialto.spi.code.Expr.BinaryOp.MUL;
import static java.util.Objects.requireNonNull;

import dev.rialto.jit.Accum;
import dev.rialto.jit.Affine;
import dev.rialto.jit.Node;
import dev.rialto.jit.Op;
import dev.rialto.jit.ScalarExpression;
import dev.rialto.jit.Symbol;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.code.Type.Kind;
import dev.rialto.spi.data.DType;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * Turns what an assignment computes at one point, or at a vector of neighbouring points, into
 * straight-line code. Complex numbers become pairs, 16-bit formats binary32 and integers of all
 * types I32 or I64 here; no later stage knows them.
 */
public final class Arithmetic {
  /** A value in registers; {@code im} of complex numbers only. */
  public record Value(Expr re, @Nullable Expr im) {
    public static Value of(Expr re) {
      return new Value(re, null);
    }

    public Expr imaginary() {
      return im == null ? Emitter.constant(re, 0) : im;
    }
  }

  /**
   * A symbol's value.
   *
   * @param base a variable or constant
   * @param plus what is added to it
   */
  public record Place(Expr base, long plus) {}

  /**
   * A point of the index space.
   *
   * @param symbols each symbol's value, of the first lane
   * @param vector the symbol that differs between lanes, by 1
   * @param lanes how many points
   */
  public record Point(Map<Symbol, Place> symbols, @Nullable Symbol vector, int lanes) {}

  private static final int MOST_POWER = 16;
  private static final int MOST_INTEGER_POWER = 64;

  private final Emitter e;
  private final Elementary elementary;
  private final Operators operators;
  private final HalfFormats half;
  private final IntegerOperations integers;
  private final Point point;
  private final BiFunction<Node, Boolean, Buffer> buffers;
  private final Map<Affine, Expr> guards = new HashMap<>();

  public Arithmetic(Emitter e, Point point, BiFunction<Node, Boolean, Buffer> buffers) {
    this.e = e;
    this.elementary = new Elementary(e);
    this.operators = new Operators(e, elementary);
    this.half = new HalfFormats(e);
    this.integers = new IntegerOperations(e);
    this.point = point;
    this.buffers = buffers;
  }

  /** The kind of register that holds numbers of a type, or their parts. */
  public static Kind kind(DType type) {
    return switch (type) {
      case F16, BF16, F32, C64 -> Kind.F32;
      case F64, C128 -> Kind.F64;
      case I8, I16, I32, U8, U16, U32 -> Kind.I32;
      case I64, U64 -> Kind.I64;
    };
  }

  public static Buffer.Storage storage(DType type) {
    return switch (type) {
      case F16, BF16, I16, U16 -> Buffer.Storage.I16;
      case F32, C64 -> Buffer.Storage.F32;
      case F64, C128 -> Buffer.Storage.F64;
      case I8, U8 -> Buffer.Storage.I8;
      case I32, U32 -> Buffer.Storage.I32;
      case I64, U64 -> Buffer.Storage.I64;
    };
  }

  public static boolean isHalf(DType type) {
    return type == DType.F16 || type == DType.BF16;
  }

  private static boolean isComplex(DType type) {
    return type.kind() == DType.Kind.COMPLEX;
  }

  // --- Indices ----------------------------------------------------------------------------------

  /** Adds up what has the same base, so that what cancels is never computed. */
  private Expr index(Affine affine) {
    Map<Expr, Long> bases = new LinkedHashMap<>();
    long constant = affine.offset();
    for (var term : affine.terms().entrySet()) {
      Place place =
          term.getKey() instanceof Symbol.Element(ScalarExpression.Read read)
              ? new Place(number(read), 0)
              : requireNonNull(point.symbols().get(term.getKey()));
      bases.merge(place.base(), term.getValue(), Long::sum);
      constant += place.plus() * term.getValue();
    }
    Expr sum = Expr.of(constant);
    for (var base : bases.entrySet()) {
      sum = Ir.index(ADD, sum, Ir.index(MUL, base.getKey(), Expr.of((long) base.getValue())));
    }
    return sum;
  }

  /** An element as an index. */
  private Expr number(ScalarExpression.Read read) {
    return integers.index(read.type(), value(read.orZero()).re());
  }

  /** Returns the end of a loop: where it is told to, or before. */
  public Expr end(Iter iter, Expr most) {
    return iter.end() == null ? most : e.let(Ir.min(number(iter.end()), most));
  }

  /** Whether all indices that are read are inside of a node; null if none is read. */
  public @Nullable Expr inside(Node node, List<Affine> index) {
    @Nullable Expr all = null;
    for (int axis = 0; axis < index.size(); axis++) {
      if (index.get(axis).isData()) {
        Expr here = inside(e.let(index(index.get(axis))), node.shape().extent(axis));
        all = all == null ? here : e.binary(AND, all, here);
      }
    }
    return all;
  }

  private Expr inside(Expr index, long size) {
    return e.binary(AND, e.binary(LE, Expr.of(0), index), e.binary(LT, index, Expr.of(size)));
  }

  /** The element's number in its buffer; guarded axes that are outside count as 0. */
  private Expr offset(Node node, List<Affine> index) {
    Affine whole = Affine.of(0);
    Expr guarded = Expr.of(0);
    for (int axis = 0; axis < index.size(); axis++) {
      Affine affine = index.get(axis);
      Expr inside = guards.get(affine);
      if (inside == null) {
        whole = whole.plus(affine.times(node.stride(axis)));
      } else {
        Expr safe = e.select(inside, e.let(index(affine)), Expr.of(0));
        guarded = Ir.index(ADD, guarded, Ir.index(MUL, safe, Expr.of(node.stride(axis))));
      }
    }
    return Ir.index(ADD, index(whole), guarded);
  }

  private long vectorStride(Node node, List<Affine> index) {
    return point.vector() == null ? 0 : node.stride(index, point.vector());
  }

  // --- Memory -----------------------------------------------------------------------------------

  public Value load(Node node, List<Affine> index, boolean merged) {
    Buffer buffer = buffers.apply(node, merged);
    Expr offset = offset(node, index);
    if (isComplex(node.type())) {
      Expr first = Ir.index(MUL, offset, Expr.of(2));
      return new Value(
          e.let(new Expr.Load(buffer, first, 1)),
          e.let(new Expr.Load(buffer, Ir.index(ADD, first, Expr.of(1)), 1)));
    }
    int lanes = vectorStride(node, index) == 0 ? 1 : point.lanes();
    Expr bits = e.let(new Expr.Load(buffer, offset, lanes));
    return Value.of(
        isHalf(node.type())
            ? half.widen(node.type(), bits)
            : node.type().isUnsigned() ? integers.narrow(node.type(), bits) : bits);
  }

  public void store(Node node, List<Affine> index, Value value) {
    Buffer buffer = buffers.apply(node, false);
    Expr offset = offset(node, index);
    if (isComplex(node.type())) {
      Expr first = Ir.index(MUL, offset, Expr.of(2));
      e.add(new Stmt.Store(buffer, first, value.re()));
      e.add(new Stmt.Store(buffer, Ir.index(ADD, first, Expr.of(1)), value.imaginary()));
      return;
    }
    Expr bits = isHalf(node.type()) ? half.narrow(node.type(), value.re()) : value.re();
    e.add(new Stmt.Store(buffer, offset, Emitter.spread(bits, point.lanes())));
  }

  /** Combines an element with a value while no other thread does. */
  public void combineAtomically(Accum accum, Node node, List<Affine> index, Value value) {
    Stmt.AtomicOp op =
        switch (accum) {
          case SUM -> Stmt.AtomicOp.ADD;
          case MAX -> Stmt.AtomicOp.MAX;
          case MIN -> Stmt.AtomicOp.MIN;
          case SET, PRODUCT ->
              throw new IllegalArgumentException("there is no atomic " + accum.symbol());
        };
    Expr.Var old = e.names().fresh("old", value.re().type());
    Expr offset = e.let(offset(node, index));
    e.add(new Stmt.Let(old, Emitter.constant(old, 0)));
    e.add(new Stmt.Atomic(old, op, buffers.apply(node, false), offset, value.re(), value.re()));
  }

  // --- Values -----------------------------------------------------------------------------------

  /**
   * Computes a tree of operators, operands first. What is still to do waits on a stack of its own,
   * so the tree may be of any depth.
   */
  public Value value(ScalarExpression scalar) {
    Deque<Runnable> todo = new ArrayDeque<>();
    Deque<Value> values = new ArrayDeque<>();
    visit(scalar, todo, values);
    while (!todo.isEmpty()) {
      todo.pop().run();
    }
    return values.pop();
  }

  /** Puts a value on the stack, or what makes it there of its operands. */
  private void visit(ScalarExpression scalar, Deque<Runnable> todo, Deque<Value> values) {
    switch (scalar) {
      case ScalarExpression.Read read ->
          values.push(load(read.node(), read.index(), read.merged()));
      case ScalarExpression.Const c -> values.push(constant(c));
      case ScalarExpression.Position p ->
          values.push(round(p.type(), e.convert(kind(p.type()), e.let(position(p.index())))));
      case ScalarExpression.Random r -> values.push(random(r));
      case ScalarExpression.Cast cast -> {
        todo.push(() -> values.push(cast(cast.type(), cast.value().type(), values.pop())));
        todo.push(() -> visit(cast.value(), todo, values));
      }
      case ScalarExpression.Within within -> within(within, todo, values);
      case ScalarExpression.Apply apply -> {
        todo.push(() -> apply(apply, values));
        apply.operands().reversed().forEach(x -> todo.push(() -> visit(x, todo, values)));
      }
    }
  }

  private void apply(ScalarExpression.Apply apply, Deque<Value> values) {
    List<Value> operands = new ArrayList<>();
    for (int i = 0; i < apply.operands().size(); i++) {
      operands.addFirst(values.pop());
    }
    DType type = apply.type();
    boolean isPower = apply.op() == Op.POW && !isComplex(type);
    values.push(
        isPower
            ? round(type, power(apply, operands.get(0).re(), operands.get(1).re()))
            : round(type, operators.of(apply.op(), type, operands)));
  }

  public static Value constant(ScalarExpression.Const c) {
    Type type = new Type(kind(c.type()), 1);
    if (c.type().kind() == DType.Kind.INTEGER) {
      return Value.of(new Expr.Const(type, c.type() == DType.U32 ? (int) c.whole() : c.whole()));
    }
    Expr re = Expr.of(type, c.value());
    return isComplex(c.type()) ? new Value(re, Emitter.constant(re, 0)) : Value.of(re);
  }

  /** Constant exponents that are small and whole are products, whatever else is constant. */
  private Expr power(ScalarExpression.Apply apply, Expr x, Expr y) {
    ScalarExpression exponent = apply.operands().get(1);
    boolean whole = apply.type().kind() == DType.Kind.INTEGER;
    int most = whole ? MOST_INTEGER_POWER : MOST_POWER;
    if (exponent instanceof ScalarExpression.Const c
        && c.value() == Math.rint(c.value())
        && Math.abs(c.value()) <= most
        && (!whole || c.whole() >= 0)) {
      return elementary.pow(x, (int) c.value());
    }
    if (whole) {
      throw new IllegalArgumentException(
          "pow of %s takes a constant exponent from 0 to %s, not %s; cast to f64"
              .formatted(apply.type(), most, exponent));
    }
    return elementary.pow(x, y);
  }

  /** Keeps results of narrow types as narrow as if they had been stored. */
  private Value round(DType type, Expr value) {
    return round(type, Value.of(value));
  }

  private Value round(DType type, Value value) {
    if (isHalf(type)) {
      return Value.of(half.round(type, value.re()));
    }
    if (type.kind() == DType.Kind.INTEGER) {
      return Value.of(integers.narrow(type, value.re()));
    }
    return isComplex(type) && value.im() == null
        ? new Value(value.re(), Emitter.constant(value.re(), 0))
        : value;
  }

  private Expr position(Affine affine) {
    long factor = point.vector() == null ? 0 : affine.factor(point.vector());
    if (factor == 0 || point.lanes() == 1) {
      return index(affine);
    }
    Expr first = e.let(index(Affine.of(requireNonNull(point.vector()))));
    Expr ramp = e.let(new Expr.Ramp(first, point.lanes()));
    Affine rest = affine.plus(Affine.of(point.vector()).times(-factor));
    return e.add(e.mul(ramp, Expr.of(factor)), e.let(index(rest)));
  }

  private void within(ScalarExpression.Within within, Deque<Runnable> todo, Deque<Value> values) {
    Expr inside = inside(e.let(index(within.index())), within.size());
    Expr[] before = new Expr[1];
    todo.push(
        () -> {
          if (before[0] == null) {
            guards.remove(within.index());
          } else {
            guards.put(within.index(), before[0]);
          }
          Value value = values.pop();
          values.push(choose(inside, value, values.pop()));
        });
    todo.push(() -> visit(within.inside(), todo, values));
    todo.push(() -> before[0] = guards.put(within.index(), inside));
    todo.push(() -> visit(within.outside(), todo, values));
  }

  private Value choose(Expr condition, Value yes, Value no) {
    return new Value(
        e.select(condition, yes.re(), no.re()),
        yes.im() == null && no.im() == null
            ? null
            : e.select(condition, yes.imaginary(), no.imaginary()));
  }

  private Value cast(DType to, DType from, Value value) {
    boolean whole = from.kind() == DType.Kind.INTEGER;
    Expr re =
        to.kind() != DType.Kind.INTEGER
            ? whole ? integers.real(from, kind(to), value.re()) : e.convert(kind(to), value.re())
            : whole ? integers.widen(from, kind(to), value.re()) : integers.of(to, value.re());
    if (isComplex(to)) {
      return new Value(
          re, isComplex(from) ? e.convert(kind(to), value.imaginary()) : Emitter.constant(re, 0));
    }
    return round(to, re);
  }

  private Value random(ScalarExpression.Random random) {
    Expr counter = e.let(position(random.counter()));
    RandomNumbers numbers = new RandomNumbers(e);
    if (kind(random.type()) == Kind.F64) {
      return round(random.type(), numbers.twice(random.seed(), counter));
    }
    // As many bits as the type has, so that none is rounded up to 1.
    int count = random.type() == DType.BF16 ? 8 : random.type() == DType.F16 ? 11 : 24;
    return round(random.type(), numbers.single(random.seed(), counter, count));
  }

  /** Combines what was there with a new value; 16-bit formats are added up as binary32. */
  public Value combine(Accum accum, DType type, Value old, Value value) {
    return operators.of(accum.op(), type, List.of(old, value));
  }
}
