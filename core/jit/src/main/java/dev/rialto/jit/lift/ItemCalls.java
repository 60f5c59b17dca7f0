package dev.rialto.jit.lift;

import dev.rialto.jit.lift.IndexGuards.Check;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Spelled;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Stmt.AtomicOp;
import dev.rialto.spi.code.Stmt.ExchangeOp;
import dev.rialto.spi.code.Type;
import java.lang.classfile.TypeKind;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The methods of an item: its places, barriers, exchanges, shared arrays and atomics. */
record ItemCalls(KernelCode code, Heap heap, Intrinsics.Place place) {
  private static final Set<String> PLACES =
      Set.of("global", "globalSize", "local", "blockSize", "block", "blocks");

  private static final Map<String, AtomicOp> ATOMICS =
      Map.of(
          "atomicGet", AtomicOp.GET,
          "atomicAdd", AtomicOp.ADD,
          "atomicMin", AtomicOp.MIN,
          "atomicMax", AtomicOp.MAX,
          "atomicAnd", AtomicOp.AND,
          "atomicOr", AtomicOp.OR,
          "atomicXor", AtomicOp.XOR,
          "atomicExchange", AtomicOp.EXCHANGE,
          "atomicCompareExchange", AtomicOp.COMPARE_AND_SET);

  @Nullable Value call(Frame frame, String name, Value[] arguments) {
    if (arguments.length == 1 && PLACES.contains(name)) {
      return new Value.Num(along(name, axis(frame, arguments[0])));
    }
    return switch (name) {
      case "global" -> new Value.Num(place.global());
      case "globalSize" -> new Value.Num(place.product(Axis::items));
      case "local" -> new Value.Num(KernelCode.convert(Type.I32, place.local()));
      case "blockSize" -> new Value.Num(KernelCode.convert(Type.I32, place.count()));
      case "block" -> new Value.Num(place.block());
      case "blocks" -> new Value.Num(place.product(Axis::blocks));
      case "barrier" -> {
        code.add(new Stmt.Barrier());
        yield null;
      }
      case "print" -> {
        print(frame, arguments);
        yield null;
      }
      case "lane" -> new Value.Num(lane());
      case "subgroupSize" -> {
        Expr rest = KernelCode.binary(BinaryOp.SUB, place.count(), place.local());
        Expr behind = KernelCode.binary(BinaryOp.ADD, KernelCode.convert(Type.I32, rest), lane());
        yield new Value.Num(
            Spelled.min(code.once(behind), KernelCode.constant(Type.I32, Stmt.SUBGROUP)));
      }
      case "shuffle" ->
          exchange(
              ExchangeOp.SHUFFLE,
              Intrinsics.number(frame, arguments[0]),
              Intrinsics.number(frame, arguments[1]));
      case "ballot" ->
          exchange(ExchangeOp.BALLOT, Intrinsics.number(frame, arguments[0]), KernelCode.ZERO);
      case "sharedInts" -> shared(frame, TypeKind.INT, arguments);
      case "sharedLongs" -> shared(frame, TypeKind.LONG, arguments);
      case "sharedShorts" -> shared(frame, TypeKind.SHORT, arguments);
      case "sharedBytes" -> shared(frame, TypeKind.BYTE, arguments);
      case "sharedBooleans" -> shared(frame, TypeKind.BOOLEAN, arguments);
      case "sharedChars" -> shared(frame, TypeKind.CHAR, arguments);
      case "sharedFloats" -> shared(frame, TypeKind.FLOAT, arguments);
      case "sharedDoubles" -> shared(frame, TypeKind.DOUBLE, arguments);
      default -> atomic(frame, name, arguments);
    };
  }

  private void print(Frame frame, Value[] arguments) {
    if (!(arguments[0] instanceof Value.Constant(Object text))) {
      throw Refusal.at(
          frame, "prints a text that only a launch knows", "give a constant and a number");
    }
    Expr value = arguments.length == 1 ? Expr.of(0) : Intrinsics.number(frame, arguments[1]);
    Lifted.Line.Kind kind =
        arguments.length == 1
            ? Lifted.Line.Kind.NOTHING
            : value.type().isFloat() ? Lifted.Line.Kind.DOUBLE : Lifted.Line.Kind.LONG;
    Expr bits = value.type().isFloat() ? new Expr.Bits(Type.I64, value) : value;
    code.print(new Lifted.Line(text.toString(), kind), code.once(place.global()), code.once(bits));
  }

  private Expr lane() {
    Expr local = KernelCode.convert(Type.I32, place.local());
    return KernelCode.binary(BinaryOp.AND, local, KernelCode.constant(Type.I32, Stmt.SUBGROUP - 1));
  }

  private Value exchange(ExchangeOp op, Expr value, Expr lane) {
    Expr.Var result = code.fresh(op == ExchangeOp.BALLOT ? Type.I32 : value.type());
    code.add(new Stmt.Exchange(result, op, code.once(value), code.once(lane)));
    return new Value.Num(result);
  }

  private Axis axis(Frame frame, Value number) {
    if (!(Intrinsics.number(frame, number) instanceof Expr.Const axis)) {
      throw Refusal.at(
          frame, "asks for an axis that only a launch knows", "give a constant, such as global(1)");
    }
    if (axis.bits() < 0 || axis.bits() >= place.axes().size()) {
      throw Refusal.at(
          frame,
          "asks for axis " + axis.bits() + " of " + place.axes().size(),
          "axes count from 0, and withBlock tells how many there are");
    }
    return place.axes().get((int) axis.bits());
  }

  private Expr along(String name, Axis axis) {
    return switch (name) {
      case "global" -> place.isProving() ? axis.place() : axis.global();
      case "globalSize" -> axis.items();
      case "local" -> KernelCode.convert(Type.I32, axis.local());
      case "blockSize" -> KernelCode.convert(Type.I32, axis.count());
      case "block" -> axis.block();
      default -> axis.blocks();
    };
  }

  private Value shared(Frame frame, TypeKind kind, Value[] arguments) {
    return heap.array(frame, kind, Intrinsics.number(frame, arguments[0]), true);
  }

  private Value atomic(Frame frame, String name, Value[] arguments) {
    AtomicOp op = ATOMICS.get(name);
    if (op == null) {
      throw Refusal.at(frame, "calls " + name + " of the item");
    }
    Expr index = KernelCode.index(Intrinsics.number(frame, arguments[1]));
    Buffer buffer;
    Check check;
    switch (arguments[0]) {
      case Value.Parameter(Buffer memory, Expr length, int argument) -> {
        buffer = memory;
        check = Check.of(index, length, "argument " + (argument + 1));
      }
      case Value.LocalArray(Buffer memory, TypeKind _, boolean shared) when shared -> {
        buffer = memory;
        check = Heap.check(memory, index, true);
      }
      default ->
          throw Refusal.at(
              frame,
              "calls " + name + " on an array of the item's own",
              "nothing else changes it: assign to it");
    }
    boolean reads = op == AtomicOp.GET;
    Expr none = new Expr.Const(new Type(buffer.storage().register(), 1), 0);
    Expr value = reads ? none : Intrinsics.number(frame, arguments[arguments.length - 1]);
    Expr expected = reads ? none : Intrinsics.number(frame, arguments[2]);
    return new Value.Num(code.atomic(op, buffer, index, value, expected, check));
  }
}
