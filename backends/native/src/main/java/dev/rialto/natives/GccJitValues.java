package dev.rialto.natives;

import static java.lang.foreign.MemorySegment.NULL;
import static java.util.Objects.requireNonNull;

import dev.rialto.natives.LibGccJit.CType;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.UnaryOp;
import dev.rialto.spi.code.Spelled;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.code.Type.Kind;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Values in the words of libgccjit, which has no conditional one; that becomes a variable that two
 * blocks assign.
 */
final class GccJitValues {
  private final GccJitWords words;
  private final Map<Expr.Var, MemorySegment> variables = new HashMap<>();
  private final Map<Buffer, MemorySegment> buffers = new HashMap<>();

  /** Whether Java's casts may be in it; array programs, whose buffers have sizes, have none. */
  private final boolean casts;

  GccJitValues(GccJitWords words, boolean casts) {
    this.words = words;
    this.casts = casts;
  }

  void put(Expr.Var variable, MemorySegment place) {
    variables.put(variable, place);
  }

  /** Makes a buffer known by the address of its first element. */
  void put(Buffer buffer, MemorySegment address) {
    buffers.put(buffer, address);
  }

  MemorySegment place(Expr.Var variable) {
    return requireNonNull(variables.get(variable));
  }

  MemorySegment value(Expr e) {
    return switch (e) {
      case Expr.Const c -> constant(c);
      case Expr.Var v -> words.rvalue(requireNonNull(variables.get(v)));
      case Expr.Load(Buffer b, Expr at, int lanes) -> {
        MemorySegment loaded = words.rvalue(memory(b, value(at), lanes));
        // A variable of its own, so that later stores do not change what was loaded.
        MemorySegment local = words.local(words.type(e.type()));
        words.assign(
            local,
            lanes > 1
                ? words.bitcast(loaded, words.type(e.type()))
                : b.storage().bytes() < 4 ? words.cast(loaded, words.type(e.type())) : loaded);
        yield words.rvalue(local);
      }
      case Expr.Unary(UnaryOp op, Expr x) -> unary(op, x);
      case Expr.Binary(BinaryOp _, Expr _, Expr.Binary(BinaryOp lt, Expr x, Expr end))
          when Spelled.isWithin(e) ->
          compare(
              lt,
              unsigned(value(x), x.type()),
              unsigned(value(Spelled.max(end, zero(x))), x.type()));
      case Expr.Binary(BinaryOp op, Expr x, Expr y) ->
          op.compares()
              ? compare(op, value(x), value(y))
              : op.isFunction() || (op == BinaryOp.REM && x.type().isFloat())
                  ? builtin(op.isFunction() ? op.symbol() : "fmod", x.type(), x, y)
                  : binary(op, x.type(), value(x), value(y));
      case Expr.Fma(Expr a, Expr b, Expr c) ->
          e.type().lanes() == 1 ? builtin("fma", e.type(), a, b, c) : fused(e.type(), a, b, c);
      case Expr.Select(Expr c, Expr x, Expr y) -> select(c, x, y);
      case Expr.Convert(Type type, Expr x) -> convert(type, x);
      case Expr.Saturate(Type type, Expr x) -> value(Spelled.saturate(type, variable(x)));
      case Expr.Bits(Type type, Expr x) -> words.bitcast(value(x), words.type(type));
      case Expr.Splat(int lanes, Expr x) -> {
        MemorySegment local = local(x);
        yield vector(e.type(), Collections.nCopies(lanes, words.rvalue(local)));
      }
      case Expr.Lane(Expr x, int lane) -> lane(local(x), e.type(), lane);
      case Expr.Any(Expr x) when x.type().lanes() == 1 -> value(x);
      case Expr.Ramp _, Expr.Any _ ->
          throw new IllegalArgumentException(e + " is beyond arithmetic");
    };
  }

  /** A variable that is given a value. */
  private MemorySegment local(Expr x) {
    MemorySegment local = words.local(words.type(x.type()));
    words.assign(local, value(x));
    return local;
  }

  private MemorySegment vector(Type type, List<MemorySegment> lanes) {
    return LibGccJit.call(
        "context_new_rvalue_from_vector",
        words.context(),
        NULL,
        words.type(type),
        (long) lanes.size(),
        LibGccJit.array(words.arena(), lanes));
  }

  /** A lane of a variable. */
  private MemorySegment lane(MemorySegment local, Type type, int lane) {
    MemorySegment address = LibGccJit.call("lvalue_get_address", local, NULL);
    MemorySegment pointer =
        words.cast(address, LibGccJit.call("type_get_pointer", words.type(type)));
    return words.rvalue(words.element(pointer, words.integer(Type.I64, lane)));
  }

  /** Fuses each lane, of which the library makes one instruction for all. */
  private MemorySegment fused(Type type, Expr a, Expr b, Expr c) {
    List<MemorySegment> operands = List.of(local(a), local(b), local(c));
    Type scalar = type.withLanes(1);
    List<MemorySegment> lanes = new ArrayList<>();
    for (int i = 0; i < type.lanes(); i++) {
      int lane = i;
      MemorySegment[] all =
          operands.stream().map(x -> lane(x, scalar, lane)).toArray(MemorySegment[]::new);
      String name = "__builtin_fma" + (type.kind() == Kind.F32 ? "f" : "");
      lanes.add(words.call(name, all));
    }
    return vector(type, lanes);
  }

  private MemorySegment constant(Expr.Const c) {
    Type type = c.type();
    return switch (type.kind()) {
      case BOOL, I32, I64 -> words.integer(type, c.bits());
      case F32, F64 -> {
        double value = c.real();
        if (Double.isNaN(value) || Double.isInfinite(value)) {
          Type bits = type.kind() == Kind.F32 ? Type.I32 : Type.I64;
          yield words.bitcast(words.integer(bits, c.bits()), words.type(type));
        }
        yield LibGccJit.call(
            "context_new_rvalue_from_double", words.context(), words.type(type), value);
      }
    };
  }

  MemorySegment compare(BinaryOp op, MemorySegment x, MemorySegment y) {
    int number =
        switch (op) {
          case EQ -> 0;
          case NE -> 1;
          case LT -> 2;
          case LE -> 3;
          default -> throw new IllegalArgumentException(op + " is no comparison");
        };
    return LibGccJit.call("context_new_comparison", words.context(), NULL, number, x, y);
  }

  /**
   * Converts a number. Without traps, gcc makes a rounding towards zero of a conversion to an
   * integer and back, which keeps the sign of a zero that an integer does not have.
   */
  private MemorySegment convert(Type type, Expr x) {
    MemorySegment plain = words.cast(value(x), words.type(type));
    boolean exact = type.lanes() > 1 || !type.isFloat() || x.type().isFloat();
    if (exact || !casts || x instanceof Expr.Const) {
      return plain;
    }
    Expr.Var converted = new Expr.Var(words.name("converted"), type);
    MemorySegment local = words.local(words.type(type));
    variables.put(converted, local);
    words.assign(local, plain);
    Expr zero = Expr.of(type, 0);
    return value(new Expr.Select(new Expr.Binary(BinaryOp.EQ, converted, zero), zero, converted));
  }

  /** Computes a value that is used more than once. */
  private Expr.Var variable(Expr e) {
    Expr.Var v = new Expr.Var(words.name("once"), e.type());
    MemorySegment value = value(e);
    MemorySegment local = words.local(words.type(e.type()));
    variables.put(v, local);
    words.assign(local, value);
    return v;
  }

  private MemorySegment unsigned(Type type) {
    return LibGccJit.type(
        words.context(), type.kind() == Kind.I64 ? CType.UNSIGNED_LONG_LONG : CType.UNSIGNED_INT);
  }

  private MemorySegment unsigned(MemorySegment x, Type type) {
    return words.cast(x, unsigned(type));
  }

  private static Expr zero(Expr x) {
    return Expr.of(x.type(), 0);
  }

  MemorySegment binary(BinaryOp op, Type type, MemorySegment x, MemorySegment given) {
    boolean shifts = op == BinaryOp.SHL || op == BinaryOp.SHR || op == BinaryOp.USHR;
    MemorySegment y =
        shifts && type.lanes() == 1
            ? words.operator(
                5, words.type(type), given, words.integer(type, type.kind().bits() - 1))
            : given;
    if (op == BinaryOp.USHR) {
      MemorySegment shifted =
          words.operator(11, unsigned(type), unsigned(x, type), unsigned(y, type));
      return words.cast(shifted, words.type(type));
    }
    int number =
        switch (op) {
          case ADD -> 0;
          case SUB -> 1;
          case MUL -> 2;
          case DIV -> 3;
          case REM -> 4;
          case AND -> 5;
          case XOR -> 6;
          case OR -> 7;
          case SHL -> 10;
          case SHR -> 11;
          default -> throw new IllegalArgumentException(op + " is no arithmetic");
        };
    return words.operator(number, words.type(type), x, y);
  }

  private MemorySegment unary(UnaryOp op, Expr x) {
    Type type = x.type();
    return switch (op) {
      case NEG ->
          LibGccJit.call(
              "context_new_unary_op", words.context(), NULL, 0, words.type(type), value(x));
      case NOT ->
          LibGccJit.call(
              "context_new_unary_op",
              words.context(),
              NULL,
              type.kind() == Kind.BOOL ? 2 : 1,
              words.type(type),
              value(x));
      case ABS -> builtin("fabs", type, x);
      case SQRT -> builtin("sqrt", type, x);
      case FLOOR -> builtin("floor", type, x);
      case CEIL -> builtin("ceil", type, x);
      case RINT -> builtin("rint", type, x);
      case BIT_COUNT -> words.cast(integers("popcount", type, x), words.type(type));
      case LEADING_ZEROS -> leadingZeros(type, variable(x));
      default -> builtin(op.name().toLowerCase(Locale.ROOT), type, x);
    };
  }

  /** The library's function is not defined for 0, so it is given a number that is odd. */
  private MemorySegment leadingZeros(Type type, Expr.Var x) {
    Expr.Var zeros = new Expr.Var(words.name("zeros"), type);
    MemorySegment local = words.local(words.type(type));
    variables.put(zeros, local);
    Expr odd = new Expr.Binary(BinaryOp.OR, x, new Expr.Const(type, 1));
    words.assign(local, words.cast(integers("clz", type, odd), words.type(type)));
    Expr none = new Expr.Const(type, 0);
    Expr all = new Expr.Const(type, type.kind().bits());
    return value(new Expr.Select(new Expr.Binary(BinaryOp.EQ, x, none), all, zeros));
  }

  private MemorySegment integers(String name, Type type, Expr x) {
    boolean wide = type.kind() == Kind.I64;
    MemorySegment unsigned =
        LibGccJit.type(words.context(), wide ? CType.UNSIGNED_LONG_LONG : CType.UNSIGNED_INT);
    return words.call("__builtin_" + name + (wide ? "ll" : ""), words.cast(value(x), unsigned));
  }

  private MemorySegment builtin(String name, Type type, Expr... operands) {
    MemorySegment[] values = new MemorySegment[operands.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = value(operands[i]);
    }
    return words.call("__builtin_" + name + (type.kind() == Kind.F32 ? "f" : ""), values);
  }

  /** An element, or several as a vector that need not be aligned. */
  MemorySegment memory(Buffer b, MemorySegment at, int lanes) {
    MemorySegment first = words.element(requireNonNull(buffers.get(b)), at);
    if (lanes == 1) {
      return first;
    }
    MemorySegment vector = words.unaligned(new Type(b.storage().register(), lanes));
    MemorySegment address = LibGccJit.call("lvalue_get_address", first, NULL);
    MemorySegment pointer = words.cast(address, LibGccJit.call("type_get_pointer", vector));
    return LibGccJit.call("rvalue_dereference", pointer, NULL);
  }

  /**
   * One instruction where the processor has one, else tries to replace the bits until nothing else
   * has changed them meanwhile: threads that count in the same elements took 1.5 times as long.
   */
  void atomic(Stmt.Atomic a) {
    Buffer buffer = a.buffer();
    Type type = a.value().type();
    Type bits = type.kind().bits() == 64 ? Type.I64 : Type.I32;
    MemorySegment first = words.element(requireNonNull(buffers.get(buffer)), value(a.offset()));
    MemorySegment address = words.local(LibGccJit.type(words.context(), CType.VOID_POINTER));
    words.assign(
        address,
        words.cast(
            LibGccJit.call("lvalue_get_address", first, NULL),
            LibGccJit.type(words.context(), CType.VOID_POINTER)));
    Expr.Var value = variable(a.value());
    MemorySegment old = requireNonNull(variables.get(a.old()));
    Optional<String> step = step(a.op(), type);
    if (step.isPresent()) {
      String name = "__sync_fetch_and_%s_%d".formatted(step.get(), buffer.storage().bytes());
      words.assign(old, words.call(name, words.rvalue(address), value(value)));
      return;
    }
    Expr.Var expected = variable(a.expected());
    MemorySegment seen = words.local(words.type(bits));
    boolean narrow = buffer.storage().bytes() < 4;
    MemorySegment part = words.storage(buffer.storage());
    words.assign(
        seen,
        narrow
            ? value(new Expr.Load(buffer, a.offset(), 1))
            : words.rvalue(memory(buffer, value(a.offset()), bits)));
    MemorySegment again = words.newBlock();
    MemorySegment after = words.newBlock();
    words.jump(again);
    words.at(again);
    MemorySegment before = words.local(words.type(bits));
    words.assign(before, words.rvalue(seen));
    words.assign(
        old,
        bits.equals(type)
            ? words.rvalue(before)
            : words.bitcast(words.rvalue(before), words.type(type)));
    Expr next = Spelled.next(a.op(), a.old(), value, expected);
    MemorySegment replaced =
        bits.equals(type) ? value(next) : words.bitcast(value(next), words.type(bits));
    MemorySegment found =
        words.call(
            "__sync_val_compare_and_swap_" + buffer.storage().bytes(),
            words.rvalue(address),
            narrow ? words.cast(words.rvalue(before), part) : words.rvalue(before),
            narrow ? words.cast(replaced, part) : replaced);
    words.assign(seen, narrow ? words.cast(words.cast(found, part), words.type(bits)) : found);
    words.fork(compare(BinaryOp.EQ, words.rvalue(seen), words.rvalue(before)), after, again);
    words.at(after);
  }

  /** The name of a step that changes an integer by another at once. */
  private static Optional<String> step(Stmt.AtomicOp op, Type type) {
    return switch (op) {
      case ADD, AND, OR, XOR ->
          type.isFloat() ? Optional.empty() : Optional.of(op.name().toLowerCase(Locale.ROOT));
      case MIN, MAX, EXCHANGE, COMPARE_AND_SET, GET -> Optional.empty();
    };
  }

  private MemorySegment memory(Buffer buffer, MemorySegment at, Type bits) {
    MemorySegment first = words.element(requireNonNull(buffers.get(buffer)), at);
    MemorySegment address = LibGccJit.call("lvalue_get_address", first, NULL);
    MemorySegment pointer =
        words.cast(address, LibGccJit.call("type_get_pointer", words.type(bits)));
    return LibGccJit.call("rvalue_dereference", pointer, NULL);
  }

  /** Both values are computed first: they have no effect, and straight code vectorizes. */
  private MemorySegment select(Expr c, Expr x, Expr y) {
    MemorySegment yes = words.local(words.type(x.type()));
    MemorySegment result = words.local(words.type(x.type()));
    words.assign(yes, value(x));
    words.assign(result, value(y));
    MemorySegment condition = value(c);
    MemorySegment take = words.newBlock();
    MemorySegment after = words.newBlock();
    words.fork(condition, take, after);
    words.at(take);
    words.assign(result, words.rvalue(yes));
    words.jump(after);
    words.at(after);
    return words.rvalue(result);
  }
}
