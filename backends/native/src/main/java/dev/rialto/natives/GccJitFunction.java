package dev.rialto.natives;

import static java.lang.foreign.MemorySegment.NULL;
import static java.util.Objects.requireNonNull;

import dev.rialto.natives.LibGccJit.CType;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.UnaryOp;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Spelled;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.code.Type.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * One procedure as a libgccjit function. The library has values, variables and blocks that end in
 * jumps, and no conditional value; those become a variable that two blocks assign.
 */
final class GccJitFunction {
  private final MemorySegment context;
  private final Arena arena;
  private final Procedure procedure;
  private final MemorySegment function;
  private final List<MemorySegment> parameters = new ArrayList<>();
  private final Map<Expr.Var, MemorySegment> variables = new HashMap<>();
  private final Map<Buffer, MemorySegment> buffers = new HashMap<>();
  private final Map<Type, MemorySegment> vectors = new HashMap<>();
  private final Map<Type, MemorySegment> unaligned = new HashMap<>();
  private final Map<String, MemorySegment> ends = new HashMap<>();
  private final Map<String, MemorySegment> nexts = new HashMap<>();
  private MemorySegment block;

  /** Whether control comes here; the library refuses blocks that nothing goes to. */
  private boolean reached = true;

  /** Whether Java's casts may be in it; array programs, whose buffers have sizes, have none. */
  private final boolean casts;

  private int count;

  GccJitFunction(MemorySegment context, Arena arena, Procedure procedure) {
    this.context = context;
    this.arena = arena;
    this.procedure = procedure;
    this.casts = procedure.parameters().stream().anyMatch(b -> b.elements() == 0);
    MemorySegment pointers =
        LibGccJit.call("type_get_pointer", LibGccJit.type(context, CType.VOID_POINTER));
    MemorySegment index = type(Type.I64);
    parameter(pointers, "buffers");
    parameter(index, "begin");
    parameter(index, "end");
    this.function =
        LibGccJit.call(
            "context_new_function",
            context,
            NULL,
            0,
            LibGccJit.type(context, CType.VOID),
            arena.allocateFrom(procedure.name()),
            3,
            LibGccJit.array(arena, parameters),
            0);
    this.block = newBlock();
  }

  private void parameter(MemorySegment type, String name) {
    parameters.add(
        LibGccJit.call("context_new_param", context, NULL, type, arena.allocateFrom(name)));
  }

  void build() {
    MemorySegment pointers = LibGccJit.call("param_as_rvalue", parameters.get(0));
    for (int i = 0; i < procedure.parameters().size(); i++) {
      Buffer buffer = procedure.parameters().get(i);
      MemorySegment type = LibGccJit.call("type_get_pointer", storage(buffer.storage()));
      MemorySegment local = local(type);
      MemorySegment address = rvalue(element(pointers, integer(Type.I64, i)));
      assign(local, LibGccJit.call("context_new_cast", context, NULL, address, type));
      buffers.put(buffer, rvalue(local));
    }
    variables.put(procedure.begin(), LibGccJit.call("param_as_lvalue", parameters.get(1)));
    variables.put(procedure.end(), LibGccJit.call("param_as_lvalue", parameters.get(2)));
    statement(procedure.body());
    if (reached) {
      LibGccJit.run("block_end_with_void_return", block, NULL);
    }
  }

  // --- The library's words ----------------------------------------------------------------------

  private MemorySegment newBlock() {
    return LibGccJit.call("function_new_block", function, NULL);
  }

  private MemorySegment local(MemorySegment type) {
    return LibGccJit.call(
        "function_new_local", function, NULL, type, arena.allocateFrom("v" + count++));
  }

  private void assign(MemorySegment to, MemorySegment value) {
    LibGccJit.run("block_add_assignment", block, NULL, to, value);
  }

  private MemorySegment rvalue(MemorySegment lvalue) {
    return LibGccJit.call("lvalue_as_rvalue", lvalue);
  }

  private MemorySegment element(MemorySegment pointer, MemorySegment index) {
    return LibGccJit.call("context_new_array_access", context, NULL, pointer, index);
  }

  private MemorySegment cast(MemorySegment value, MemorySegment type) {
    return LibGccJit.call("context_new_cast", context, NULL, value, type);
  }

  private MemorySegment bitcast(MemorySegment value, MemorySegment type) {
    return LibGccJit.call("context_new_bitcast", context, NULL, value, type);
  }

  private MemorySegment integer(Type type, long value) {
    return LibGccJit.call("context_new_rvalue_from_long", context, type(type), value);
  }

  // --- Types ------------------------------------------------------------------------------------

  private MemorySegment storage(Buffer.Storage storage) {
    return LibGccJit.type(
        context,
        switch (storage) {
          case I8 -> CType.SIGNED_CHAR;
          case I16 -> CType.SHORT;
          case I32 -> CType.INT;
          case I64 -> CType.LONG_LONG;
          case F32 -> CType.FLOAT;
          case F64 -> CType.DOUBLE;
        });
  }

  private MemorySegment type(Type type) {
    MemorySegment scalar =
        LibGccJit.type(
            context,
            switch (type.kind()) {
              case BOOL -> CType.BOOL;
              case I32 -> CType.INT;
              case I64 -> CType.LONG_LONG;
              case F32 -> CType.FLOAT;
              case F64 -> CType.DOUBLE;
            });
    // Asked twice, the library makes two vector types that do not mix.
    return type.lanes() == 1
        ? scalar
        : vectors.computeIfAbsent(
            type, t -> LibGccJit.call("type_get_vector", scalar, (long) t.lanes()));
  }

  // --- Statements -------------------------------------------------------------------------------

  private void statement(Stmt s) {
    if (!reached) {
      return;
    }
    switch (s) {
      case Stmt.Block steps -> steps.steps().forEach(this::statement);
      case Stmt.Let(Expr.Var v, Expr e) -> {
        MemorySegment value = value(e);
        MemorySegment local = local(type(v.type()));
        variables.put(v, local);
        assign(local, value);
      }
      case Stmt.Assign(Expr.Var v, Expr e) -> assign(requireNonNull(variables.get(v)), value(e));
      case Stmt.Store(Buffer b, Expr at, Expr e) -> {
        MemorySegment value = value(e);
        MemorySegment place = memory(b, value(at), e.type().lanes());
        boolean narrow = b.storage().bytes() < 4;
        boolean vector = e.type().lanes() > 1;
        assign(
            place,
            vector
                ? bitcast(value, unaligned(e.type()))
                : narrow ? cast(value, storage(b.storage())) : value);
      }
      case Stmt.For loop -> loop(loop);
      case Stmt.If branch -> {
        MemorySegment condition = value(branch.condition());
        MemorySegment inside = newBlock();
        MemorySegment otherwise = newBlock();
        fork(condition, inside, otherwise);
        block = inside;
        statement(branch.body());
        MemorySegment end = branch.otherwise().equals(Stmt.NOTHING) ? otherwise : NULL;
        if (reached) {
          end = end.equals(NULL) ? newBlock() : end;
          jump(end);
        }
        reached = true;
        if (end.equals(otherwise)) {
          block = otherwise;
        } else {
          block = otherwise;
          statement(branch.otherwise());
          goOn(end);
        }
      }
      case Stmt.Labeled(String label, Stmt body) -> {
        statement(body);
        goOn(ends.getOrDefault(label, NULL));
      }
      case Stmt.Loop(String label, Stmt body) -> {
        MemorySegment next = newBlock();
        nexts.put(label, next);
        jump(next);
        block = next;
        statement(body);
        if (reached) {
          jump(next);
          reached = false;
        }
        goOn(ends.getOrDefault(label, NULL));
      }
      case Stmt.Leave(String label) -> {
        jump(ends.computeIfAbsent(label, _ -> newBlock()));
        reached = false;
      }
      case Stmt.Repeat(String label) -> {
        jump(requireNonNull(nexts.get(label)));
        reached = false;
      }
      case Stmt.Atomic atomic -> atomic(atomic);
      case Stmt.Items _, Stmt.Barrier _ ->
          throw new IllegalArgumentException(s + " is for devices; make loops of it first");
      case Stmt.Array(Buffer b) -> {
        MemorySegment array =
            local(
                LibGccJit.call(
                    "context_new_array_type",
                    context,
                    NULL,
                    storage(b.storage()),
                    (int) b.elements()));
        MemorySegment first = element(rvalue(array), integer(Type.I64, 0));
        buffers.put(b, LibGccJit.call("lvalue_get_address", first, NULL));
      }
      case Stmt.Comment _ -> {}
    }
  }

  /** Goes on in a block that was jumped to, if there is one. */
  private void goOn(MemorySegment end) {
    if (end.equals(NULL)) {
      return;
    }
    if (reached) {
      jump(end);
    }
    reached = true;
    block = end;
  }

  private void fork(MemorySegment condition, MemorySegment yes, MemorySegment no) {
    LibGccJit.run("block_end_with_conditional", block, NULL, condition, yes, no);
  }

  private void jump(MemorySegment to) {
    LibGccJit.run("block_end_with_jump", block, NULL, to);
  }

  private void loop(Stmt.For f) {
    MemorySegment index = local(type(Type.I64));
    MemorySegment end = local(type(Type.I64));
    variables.put(f.index(), index);
    assign(index, value(f.from()));
    assign(end, value(f.to()));
    MemorySegment test = newBlock();
    MemorySegment body = newBlock();
    MemorySegment after = newBlock();
    jump(test);
    block = test;
    fork(compare(BinaryOp.LT, rvalue(index), rvalue(end)), body, after);
    block = body;
    statement(f.body());
    if (reached) {
      assign(index, binary(BinaryOp.ADD, Type.I64, rvalue(index), integer(Type.I64, f.step())));
      jump(test);
    }
    reached = true;
    block = after;
  }

  /** An element, or several as a vector that need not be aligned. */
  private MemorySegment memory(Buffer b, MemorySegment at, int lanes) {
    MemorySegment first = element(requireNonNull(buffers.get(b)), at);
    if (lanes == 1) {
      return first;
    }
    MemorySegment vector = unaligned(new Type(b.storage().register(), lanes));
    MemorySegment address = LibGccJit.call("lvalue_get_address", first, NULL);
    MemorySegment pointer = cast(address, LibGccJit.call("type_get_pointer", vector));
    return LibGccJit.call("rvalue_dereference", pointer, NULL);
  }

  private MemorySegment unaligned(Type type) {
    return unaligned.computeIfAbsent(
        type, t -> LibGccJit.call("type_get_aligned", type(t), (long) t.kind().bits() / 8));
  }

  // --- Values -----------------------------------------------------------------------------------

  private MemorySegment value(Expr e) {
    return switch (e) {
      case Expr.Const c -> constant(c);
      case Expr.Var v -> rvalue(requireNonNull(variables.get(v)));
      case Expr.Load(Buffer b, Expr at, int lanes) -> {
        MemorySegment loaded = rvalue(memory(b, value(at), lanes));
        // A variable of its own, so that later stores do not change what was loaded.
        MemorySegment local = local(type(e.type()));
        assign(
            local,
            lanes > 1
                ? bitcast(loaded, type(e.type()))
                : b.storage().bytes() < 4 ? cast(loaded, type(e.type())) : loaded);
        yield rvalue(local);
      }
      case Expr.Unary(UnaryOp op, Expr x) -> unary(op, x);
      case Expr.Binary(BinaryOp op, Expr x, Expr y) ->
          op.compares()
              ? compare(op, value(x), value(y))
              : op == BinaryOp.REM && x.type().isFloat()
                  ? builtin("fmod", x.type(), x, y)
                  : binary(op, x.type(), value(x), value(y));
      case Expr.Fma(Expr a, Expr b, Expr c) ->
          e.type().lanes() == 1
              ? builtin("fma", e.type(), a, b, c)
              : binary(
                  BinaryOp.ADD,
                  e.type(),
                  binary(BinaryOp.MUL, e.type(), value(a), value(b)),
                  value(c));
      case Expr.Select(Expr c, Expr x, Expr y) -> select(c, x, y);
      case Expr.Convert(Type type, Expr x) -> convert(type, x);
      case Expr.Saturate(Type type, Expr x) -> value(Spelled.saturate(type, variable(x)));
      case Expr.Bits(Type type, Expr x) -> bitcast(value(x), type(type));
      case Expr.Splat(int lanes, Expr x) -> {
        MemorySegment local = local(type(x.type()));
        assign(local, value(x));
        yield LibGccJit.call(
            "context_new_rvalue_from_vector",
            context,
            NULL,
            type(e.type()),
            (long) lanes,
            LibGccJit.array(arena, Collections.nCopies(lanes, rvalue(local))));
      }
      case Expr.Lane(Expr x, int lane) -> {
        MemorySegment local = local(type(x.type()));
        assign(local, value(x));
        MemorySegment address = LibGccJit.call("lvalue_get_address", local, NULL);
        MemorySegment pointer = cast(address, LibGccJit.call("type_get_pointer", type(e.type())));
        yield rvalue(element(pointer, integer(Type.I64, lane)));
      }
      case Expr.Any(Expr x) when x.type().lanes() == 1 -> value(x);
      case Expr.Ramp _, Expr.Any _ ->
          throw new IllegalArgumentException(e + " is beyond arithmetic");
    };
  }

  private MemorySegment constant(Expr.Const c) {
    Type type = c.type();
    return switch (type.kind()) {
      case BOOL, I32, I64 -> integer(type, c.bits());
      case F32, F64 -> {
        double value = c.real();
        if (Double.isNaN(value) || Double.isInfinite(value)) {
          Type bits = type.kind() == Kind.F32 ? Type.I32 : Type.I64;
          yield bitcast(integer(bits, c.bits()), type(type));
        }
        yield LibGccJit.call("context_new_rvalue_from_double", context, type(type), value);
      }
    };
  }

  private MemorySegment compare(BinaryOp op, MemorySegment x, MemorySegment y) {
    int number =
        switch (op) {
          case EQ -> 0;
          case NE -> 1;
          case LT -> 2;
          case LE -> 3;
          default -> throw new IllegalArgumentException(op + " is no comparison");
        };
    return LibGccJit.call("context_new_comparison", context, NULL, number, x, y);
  }

  /**
   * Converts a number. Without traps, gcc makes a rounding towards zero of a conversion to an
   * integer and back, which keeps the sign of a zero that an integer does not have.
   */
  private MemorySegment convert(Type type, Expr x) {
    MemorySegment plain = cast(value(x), type(type));
    boolean exact = type.lanes() > 1 || !type.isFloat() || x.type().isFloat();
    if (exact || !casts || x instanceof Expr.Const) {
      return plain;
    }
    Expr.Var converted = new Expr.Var("converted" + count++, type);
    MemorySegment local = local(type(type));
    variables.put(converted, local);
    assign(local, plain);
    Expr zero = Expr.of(type, 0);
    return value(new Expr.Select(new Expr.Binary(BinaryOp.EQ, converted, zero), zero, converted));
  }

  /** Computes a value that is used more than once. */
  private Expr.Var variable(Expr e) {
    Expr.Var v = new Expr.Var("once" + count++, e.type());
    MemorySegment value = value(e);
    MemorySegment local = local(type(e.type()));
    variables.put(v, local);
    assign(local, value);
    return v;
  }

  private MemorySegment binary(BinaryOp op, Type type, MemorySegment x, MemorySegment given) {
    boolean shifts = op == BinaryOp.SHL || op == BinaryOp.SHR || op == BinaryOp.USHR;
    MemorySegment y =
        shifts && type.lanes() == 1
            ? operator(5, type(type), given, integer(type, type.kind().bits() - 1))
            : given;
    if (op == BinaryOp.USHR) {
      MemorySegment unsigned =
          LibGccJit.type(
              context, type.kind() == Kind.I64 ? CType.UNSIGNED_LONG_LONG : CType.UNSIGNED_INT);
      MemorySegment shifted = operator(11, unsigned, cast(x, unsigned), cast(y, unsigned));
      return cast(shifted, type(type));
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
    return operator(number, type(type), x, y);
  }

  private MemorySegment operator(int number, MemorySegment type, MemorySegment x, MemorySegment y) {
    return LibGccJit.call("context_new_binary_op", context, NULL, number, type, x, y);
  }

  private MemorySegment unary(UnaryOp op, Expr x) {
    Type type = x.type();
    return switch (op) {
      case NEG -> LibGccJit.call("context_new_unary_op", context, NULL, 0, type(type), value(x));
      case NOT ->
          LibGccJit.call(
              "context_new_unary_op",
              context,
              NULL,
              type.kind() == Kind.BOOL ? 2 : 1,
              type(type),
              value(x));
      case ABS -> builtin("fabs", type, x);
      case SQRT -> builtin("sqrt", type, x);
      case FLOOR -> builtin("floor", type, x);
      case CEIL -> builtin("ceil", type, x);
      case RINT -> builtin("rint", type, x);
      case BIT_COUNT -> cast(integers("popcount", type, x), type(type));
      case LEADING_ZEROS -> leadingZeros(type, variable(x));
    };
  }

  /** The library's function is not defined for 0, so it is given a number that is odd. */
  private MemorySegment leadingZeros(Type type, Expr.Var x) {
    Expr.Var zeros = new Expr.Var("zeros" + count++, type);
    MemorySegment local = local(type(type));
    variables.put(zeros, local);
    Expr odd = new Expr.Binary(BinaryOp.OR, x, new Expr.Const(type, 1));
    assign(local, cast(integers("clz", type, odd), type(type)));
    Expr none = new Expr.Const(type, 0);
    Expr all = new Expr.Const(type, type.kind().bits());
    return value(new Expr.Select(new Expr.Binary(BinaryOp.EQ, x, none), all, zeros));
  }

  private MemorySegment integers(String name, Type type, Expr x) {
    boolean wide = type.kind() == Kind.I64;
    MemorySegment unsigned =
        LibGccJit.type(context, wide ? CType.UNSIGNED_LONG_LONG : CType.UNSIGNED_INT);
    return call("__builtin_" + name + (wide ? "ll" : ""), cast(value(x), unsigned));
  }

  private MemorySegment builtin(String name, Type type, Expr... operands) {
    MemorySegment[] values = new MemorySegment[operands.length];
    for (int i = 0; i < values.length; i++) {
      values[i] = value(operands[i]);
    }
    return call("__builtin_" + name + (type.kind() == Kind.F32 ? "f" : ""), values);
  }

  private MemorySegment call(String name, MemorySegment... operands) {
    MemorySegment builtin =
        LibGccJit.call("context_get_builtin_function", context, arena.allocateFrom(name));
    return LibGccJit.call(
        "context_new_call",
        context,
        NULL,
        builtin,
        operands.length,
        LibGccJit.array(arena, List.of(operands)));
  }

  // --- Atomic steps -----------------------------------------------------------------------------

  /** Tries to replace the bits until nothing else has changed them meanwhile. */
  private void atomic(Stmt.Atomic a) {
    Buffer buffer = a.buffer();
    Type type = a.value().type();
    Type bits = type.kind().bits() == 64 ? Type.I64 : Type.I32;
    MemorySegment first = element(requireNonNull(buffers.get(buffer)), value(a.offset()));
    MemorySegment address = local(LibGccJit.type(context, CType.VOID_POINTER));
    assign(
        address,
        cast(
            LibGccJit.call("lvalue_get_address", first, NULL),
            LibGccJit.type(context, CType.VOID_POINTER)));
    Expr.Var value = variable(a.value());
    Expr.Var expected = variable(a.expected());
    MemorySegment old = requireNonNull(variables.get(a.old()));
    MemorySegment seen = local(type(bits));
    assign(seen, rvalue(memory(buffer, value(a.offset()), bits)));
    MemorySegment again = newBlock();
    MemorySegment after = newBlock();
    jump(again);
    block = again;
    MemorySegment before = local(type(bits));
    assign(before, rvalue(seen));
    assign(old, bits.equals(type) ? rvalue(before) : bitcast(rvalue(before), type(type)));
    Expr next = Spelled.next(a.op(), a.old(), value, expected);
    MemorySegment replaced = bits.equals(type) ? value(next) : bitcast(value(next), type(bits));
    MemorySegment found =
        call(
            "__sync_val_compare_and_swap_" + bits.kind().bits() / 8,
            rvalue(address),
            rvalue(before),
            replaced);
    assign(seen, found);
    fork(compare(BinaryOp.EQ, rvalue(seen), rvalue(before)), after, again);
    block = after;
  }

  private MemorySegment memory(Buffer buffer, MemorySegment at, Type bits) {
    MemorySegment first = element(requireNonNull(buffers.get(buffer)), at);
    MemorySegment address = LibGccJit.call("lvalue_get_address", first, NULL);
    MemorySegment pointer = cast(address, LibGccJit.call("type_get_pointer", type(bits)));
    return LibGccJit.call("rvalue_dereference", pointer, NULL);
  }

  /** Both values are computed first: they have no effect, and straight code vectorizes. */
  private MemorySegment select(Expr c, Expr x, Expr y) {
    MemorySegment yes = local(type(x.type()));
    MemorySegment result = local(type(x.type()));
    assign(yes, value(x));
    assign(result, value(y));
    MemorySegment condition = value(c);
    MemorySegment take = newBlock();
    MemorySegment after = newBlock();
    fork(condition, take, after);
    block = take;
    assign(result, rvalue(yes));
    jump(after);
    block = after;
    return rvalue(result);
  }
}
