package dev.rialto.jit.lower;

import static dev.rialto.spi.code.Expr.BinaryOp.ADD;
import static dev.rialto.spi.code.Expr.BinaryOp.AND;
import static dev.rialto.spi.code.Expr.BinaryOp.DIV;
import static dev.rialto.spi.code.Expr.BinaryOp.EQ;
import static dev.rialto.spi.code.Expr.BinaryOp.LE;
import static dev.rialto.spi.code.Expr.BinaryOp.LT;
import static dev.rialto.spi.code.Expr.BinaryOp.MUL;
import static dev.rialto.spi.code.Expr.BinaryOp.NE;
import static dev.rialto.spi.code.Expr.BinaryOp.OR;
import static dev.rialto.spi.code.Expr.BinaryOp.REM;
import static dev.rialto.spi.code.Expr.BinaryOp.SHL;
import static dev.rialto.spi.code.Expr.BinaryOp.SHR;
import static dev.rialto.spi.code.Expr.BinaryOp.USHR;
import static dev.rialto.spi.code.Expr.BinaryOp.XOR;
import static java.util.Objects.requireNonNull;

import dev.rialto.jit.Accum;
import dev.rialto.jit.Affine;
import dev.rialto.jit.Node;
import dev.rialto.jit.Op;
import dev.rialto.jit.ScalarExpression;
import dev.rialto.jit.Symbol;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.UnaryOp;
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
 * straight-line code. Complex numbers become pairs and 16-bit formats binary32 here; no later stage
 * knows them.
 */
final class Arithmetic {
  /** A value in registers; {@code im} of complex numbers only. */
  record Value(Expr re, @Nullable Expr im) {
    static Value of(Expr re) {
      return new Value(re, null);
    }

    Expr imaginary() {
      return im == null ? Emitter.constant(re, 0) : im;
    }
  }

  /**
   * A symbol's value.
   *
   * @param base a variable or constant
   * @param plus what is added to it
   */
  record Place(Expr base, long plus) {}

  /**
   * Where a point is.
   *
   * @param symbols each symbol's value, of the first lane
   * @param vector the symbol that differs between lanes, by 1
   * @param lanes how many points
   */
  record Point(Map<Symbol, Place> symbols, @Nullable Symbol vector, int lanes) {}

  private static final int MOST_POWER = 16;
  private static final int MOST_INTEGER_POWER = 64;

  private final Emitter e;
  private final Elementary elementary;
  private final HalfFormats half;
  private final Point point;
  private final BiFunction<Node, Boolean, Buffer> buffers;
  private final Map<Affine, Expr> guards = new HashMap<>();

  Arithmetic(Emitter e, Point point, BiFunction<Node, Boolean, Buffer> buffers) {
    this.e = e;
    this.elementary = new Elementary(e);
    this.half = new HalfFormats(e);
    this.point = point;
    this.buffers = buffers;
  }

  /** The kind of register that holds numbers of a type, or their parts. */
  static Kind kind(DType type) {
    return switch (type) {
      case F16, BF16, F32, C64 -> Kind.F32;
      case F64, C128 -> Kind.F64;
      case I8, I32 -> Kind.I32;
      case I64 -> Kind.I64;
    };
  }

  static Buffer.Storage storage(DType type) {
    return switch (type) {
      case F16, BF16 -> Buffer.Storage.I16;
      case F32, C64 -> Buffer.Storage.F32;
      case F64, C128 -> Buffer.Storage.F64;
      case I8 -> Buffer.Storage.I8;
      case I32 -> Buffer.Storage.I32;
      case I64 -> Buffer.Storage.I64;
    };
  }

  static boolean isHalf(DType type) {
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
      Place place = requireNonNull(point.symbols().get(term.getKey()));
      bases.merge(place.base(), term.getValue(), Long::sum);
      constant += place.plus() * term.getValue();
    }
    Expr sum = Expr.of(constant);
    for (var base : bases.entrySet()) {
      sum = Ir.index(ADD, sum, Ir.index(MUL, base.getKey(), Expr.of((long) base.getValue())));
    }
    return sum;
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
    long stride = 0;
    for (int axis = 0; point.vector() != null && axis < index.size(); axis++) {
      stride += index.get(axis).factor(point.vector()) * node.stride(axis);
    }
    return stride;
  }

  // --- Memory -----------------------------------------------------------------------------------

  Value load(Node node, List<Affine> index, boolean merged) {
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
    return Value.of(isHalf(node.type()) ? half.widen(node.type(), bits) : bits);
  }

  void store(Node node, List<Affine> index, Value value) {
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

  // --- Values -----------------------------------------------------------------------------------

  /**
   * Computes a tree of operators, operands first. What is still to do waits on a stack of its own,
   * so the tree may be of any depth.
   */
  Value value(ScalarExpression scalar) {
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
    values.push(
        apply.op() == Op.POW && !isComplex(type)
            ? round(type, power(apply, operands.get(0).re(), operands.get(1).re()))
            : round(
                type,
                isComplex(type)
                    ? complex(apply.op(), operands)
                    : real(apply.op(), type, operands)));
  }

  static Value constant(ScalarExpression.Const c) {
    Type type = new Type(kind(c.type()), 1);
    if (c.type().kind() == DType.Kind.INTEGER) {
      return Value.of(new Expr.Const(type, c.whole()));
    }
    Expr re = Expr.of(type, c.value());
    return isComplex(c.type()) ? new Value(re, Emitter.constant(re, 0)) : Value.of(re);
  }

  /** Constant exponents that are small and whole are products, whatever else is constant. */
  private Expr power(ScalarExpression.Apply apply, Expr x, Expr y) {
    ScalarExpression exponent = apply.operands().get(1);
    boolean integers = apply.type().kind() == DType.Kind.INTEGER;
    int most = integers ? MOST_INTEGER_POWER : MOST_POWER;
    if (exponent instanceof ScalarExpression.Const c
        && c.value() == Math.rint(c.value())
        && Math.abs(c.value()) <= most
        && (!integers || c.whole() >= 0)) {
      return elementary.pow(x, (int) c.value());
    }
    if (integers) {
      throw new IllegalArgumentException(
          "pow of "
              + apply.type()
              + " takes a constant exponent from 0 to "
              + most
              + ", not "
              + exponent
              + "; cast to f64");
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
    if (type == DType.I8) {
      Expr up = e.binary(SHL, value.re(), 24);
      return Value.of(e.binary(SHR, up, 24));
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
    Expr index = e.let(index(within.index()));
    Expr inside =
        e.binary(AND, e.binary(LE, Expr.of(0), index), e.binary(LT, index, Expr.of(within.size())));
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
    Expr re =
        to.kind() == DType.Kind.INTEGER && from.kind() != DType.Kind.INTEGER
            ? whole(kind(to), value.re())
            : e.convert(kind(to), value.re());
    if (isComplex(to)) {
      return new Value(
          re, isComplex(from) ? e.convert(kind(to), value.imaginary()) : Emitter.constant(re, 0));
    }
    return round(to, re);
  }

  /** The whole part; the least or greatest integer where it is out of range, 0 for NaN. */
  private Expr whole(Kind kind, Expr x) {
    boolean wide = kind == Kind.I64;
    double limit = wide ? 0x1p63 : 0x1p31;
    Expr least = Emitter.constant(x, -limit);
    Expr above = e.binary(LE, Emitter.constant(x, limit), x);
    Expr below = e.binary(LT, x, least);
    Expr inside = e.binary(AND, e.binary(LE, least, x), e.binary(LT, x, limit));
    Expr whole = e.convert(kind, e.select(inside, x, Emitter.constant(x, 0)));
    Expr greatest = Emitter.integer(whole, wide ? Long.MAX_VALUE : Integer.MAX_VALUE);
    Expr smallest = Emitter.integer(whole, wide ? Long.MIN_VALUE : Integer.MIN_VALUE);
    return e.select(above, greatest, e.select(below, smallest, whole));
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
  Value combine(Accum accum, DType type, Value old, Value value) {
    Op op =
        switch (accum) {
          case SET -> throw new IllegalArgumentException("nothing is combined by " + accum);
          case SUM -> Op.ADD;
          case PRODUCT -> Op.MUL;
          case MAX -> Op.MAX;
          case MIN -> Op.MIN;
        };
    List<Value> operands = List.of(old, value);
    return isComplex(type) ? complex(op, operands) : real(op, type, operands);
  }

  private Value real(Op op, DType type, List<Value> operands) {
    Expr x = operands.get(0).re();
    Expr y = operands.size() > 1 ? operands.get(1).re() : x;
    Expr z = operands.size() > 2 ? operands.get(2).re() : x;
    Expr zero = Emitter.constant(x, 0);
    Expr one = Emitter.constant(x, 1);
    boolean integers = type.kind() == DType.Kind.INTEGER;
    if (integers && op.compareTo(Op.SQRT) >= 0 && op.compareTo(Op.TANH) <= 0) {
      throw new IllegalArgumentException(op.word() + " is not for " + type + "; cast to f64");
    }
    return Value.of(
        switch (op) {
          case NEG -> e.unary(UnaryOp.NEG, x);
          case ABS ->
              integers
                  ? e.select(e.binary(LT, x, zero), e.unary(UnaryOp.NEG, x), x)
                  : e.unary(UnaryOp.ABS, x);
          case SQRT -> e.unary(UnaryOp.SQRT, x);
          case EXP -> elementary.exp(x);
          case LOG -> elementary.log(x);
          case SIN -> elementary.sine(x, 0);
          case COS -> elementary.sine(x, 1);
          case TANH -> elementary.tanh(x);
          case FLOOR -> integers ? x : elementary.floor(x);
          case RELU -> e.select(e.binary(LT, zero, x), x, zero);
          case RECIP -> integers ? divide(one, x) : e.binary(DIV, one, x);
          case CONJ -> x;
          case ADD -> e.add(x, y);
          case SUB -> e.sub(x, y);
          case MUL -> e.mul(x, y);
          case DIV -> integers ? divide(x, y) : e.binary(DIV, x, y);
          case REM -> integers ? e.sub(x, e.mul(y, divide(x, y))) : e.binary(REM, x, y);
          case POW -> throw new IllegalArgumentException("powers need their exponent as it is");
          case MAX -> extreme(integers, x, y, true);
          case MIN -> extreme(integers, x, y, false);
          case RELU_GATE -> e.select(e.binary(LT, zero, x), y, zero);
          case LT -> truth(e.binary(LT, x, y), x);
          case LE -> truth(e.binary(LE, x, y), x);
          case GT -> truth(e.binary(LT, y, x), x);
          case GE -> truth(e.binary(LE, y, x), x);
          case EQ -> truth(e.binary(EQ, x, y), x);
          case NE -> truth(e.binary(NE, x, y), x);
          case NOT -> truth(e.binary(EQ, x, zero), x);
          case AND -> truth(e.binary(AND, e.binary(NE, x, zero), e.binary(NE, y, zero)), x);
          case OR -> truth(e.binary(OR, e.binary(NE, x, zero), e.binary(NE, y, zero)), x);
          case XOR -> truth(e.binary(XOR, e.binary(NE, x, zero), e.binary(NE, y, zero)), x);
          case BIT_NOT -> e.binary(XOR, x, Emitter.integer(x, -1));
          case BIT_AND -> e.binary(AND, x, y);
          case BIT_OR -> e.binary(OR, x, y);
          case BIT_XOR -> e.binary(XOR, x, y);
          case SHL -> e.binary(SHL, x, shift(y));
          case SHR -> e.binary(SHR, x, shift(y));
          case USHR -> e.binary(USHR, x, shift(y));
          case WHERE -> e.select(e.binary(NE, x, zero), y, z);
          case FMA -> e.add(e.mul(x, y), z);
        });
  }

  private Expr truth(Expr condition, Expr like) {
    return e.select(condition, Emitter.constant(like, 1), Emitter.constant(like, 0));
  }

  /** Machines disagree about moving bits further than there are. */
  private Expr shift(Expr count) {
    return e.binary(AND, count, Emitter.integer(count, count.type().kind().bits() - 1));
  }

  /**
   * The larger or smaller as {@link Math#max} and {@link Math#min} have it, so that the order in
   * which values are combined does not matter: 0 is larger than -0. What does not compare leaves
   * the first operand, so only the second is asked whether it is NaN.
   */
  private Expr extreme(boolean integers, Expr x, Expr y, boolean largest) {
    Expr chosen = e.select(largest ? e.binary(LT, x, y) : e.binary(LT, y, x), y, x);
    if (integers) {
      return chosen;
    }
    Kind kind = x.type().kind();
    Kind bits = kind == Kind.F64 ? Kind.I64 : Kind.I32;
    Expr both = e.binary(largest ? AND : OR, e.bits(bits, x), e.bits(bits, y));
    Expr signed = e.select(e.binary(EQ, x, y), e.bits(kind, both), chosen);
    return e.select(e.binary(NE, y, y), y, signed);
  }

  /** Division that machines agree on: 0 by 0, and the negative by -1. */
  private Expr divide(Expr x, Expr y) {
    Expr zero = e.binary(EQ, y, Emitter.integer(y, 0));
    Expr minus = e.binary(EQ, y, Emitter.integer(y, -1));
    Expr safe = e.select(e.binary(OR, zero, minus), Emitter.integer(y, 1), y);
    Expr quotient = e.select(minus, e.unary(UnaryOp.NEG, x), e.binary(DIV, x, safe));
    return e.select(zero, Emitter.integer(y, 0), quotient);
  }

  private Value complex(Op op, List<Value> operands) {
    Expr a = operands.get(0).re();
    Expr b = operands.get(0).imaginary();
    Expr c = operands.size() > 1 ? operands.get(1).re() : a;
    Expr d = operands.size() > 1 ? operands.get(1).imaginary() : b;
    return switch (op) {
      case NEG -> new Value(e.unary(UnaryOp.NEG, a), e.unary(UnaryOp.NEG, b));
      case CONJ -> new Value(a, e.unary(UnaryOp.NEG, b));
      case ADD -> new Value(e.add(a, c), e.add(b, d));
      case SUB -> new Value(e.sub(a, c), e.sub(b, d));
      case MUL -> new Value(e.sub(e.mul(a, c), e.mul(b, d)), e.add(e.mul(a, d), e.mul(b, c)));
      case DIV, RECIP -> {
        boolean recip = op == Op.RECIP;
        Expr p = recip ? a : c;
        Expr q = recip ? b : d;
        Expr norm = e.add(e.mul(p, p), e.mul(q, q));
        Expr re = recip ? p : e.add(e.mul(a, c), e.mul(b, d));
        Expr im = recip ? e.unary(UnaryOp.NEG, q) : e.sub(e.mul(b, c), e.mul(a, d));
        yield new Value(e.binary(DIV, re, norm), e.binary(DIV, im, norm));
      }
      case ABS -> new Value(e.unary(UnaryOp.SQRT, e.add(e.mul(a, a), e.mul(b, b))), null);
      case FMA -> {
        Value product = complex(Op.MUL, operands.subList(0, 2));
        yield new Value(
            e.add(product.re(), operands.get(2).re()),
            e.add(product.imaginary(), operands.get(2).imaginary()));
      }
      default ->
          throw new IllegalArgumentException(
              op.word()
                  + " is not for complex numbers; those have neg, conj, abs, add, sub, mul,"
                  + " div, recip and fma");
    };
  }
}
