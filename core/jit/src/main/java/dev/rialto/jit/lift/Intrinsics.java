package dev.rialto.jit.lift;

import dev.rialto.jit.kernel.F32;
import dev.rialto.jit.kernel.F64;
import dev.rialto.jit.kernel.I16;
import dev.rialto.jit.kernel.I32;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.I8;
import dev.rialto.jit.kernel.Integers;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.Reals;
import dev.rialto.jit.lift.classfile.ClassFiles;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.UnaryOp;
import dev.rialto.spi.code.Spelled;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Stmt.AtomicOp;
import dev.rialto.spi.code.Stmt.ExchangeOp;
import dev.rialto.spi.code.Type;
import java.lang.classfile.TypeKind;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The methods that kernels have an operation for. */
final class Intrinsics {
  /**
   * What the launch tells an item.
   *
   * @param local its number in the block
   * @param block the block's number
   * @param count the items of the block
   * @param axes the same along each axis
   * @param isProving whether places of items are variables of their own
   */
  record Place(Expr local, Expr block, Expr count, List<Axis> axes, boolean isProving) {
    /** The item's number among all. */
    Expr global() {
      if (isProving) {
        return (axes.size() == 1 ? axes.getFirst() : Axis.EVERY).place();
      }
      return Axis.number(
          axes.stream().map(Axis::global).toList(),
          axes.stream().map(axis -> (Expr) axis.items()).toList());
    }

    private Expr product(Function<Axis, Expr> size) {
      return axes.stream()
          .map(size)
          .reduce((x, y) -> KernelCode.binary(BinaryOp.MUL, x, y))
          .orElseThrow();
    }
  }

  private interface Operation {
    Expr of(KernelCode code, Expr[] operands);
  }

  /** The item, and what has its methods that are written in Java. */
  private static final Set<String> ITEM =
      Stream.of(Item.class, Item.class.getInterfaces()[0])
          .map(Intrinsics::name)
          .collect(Collectors.toSet());

  /** The methods of the item that are not written in Java. */
  private static final Set<String> OF_ITEM =
      Arrays.stream(Item.class.getMethods())
          .filter(method -> !method.isDefault())
          .map(
              method ->
                  method.getName()
                      + MethodType.methodType(method.getReturnType(), method.getParameterTypes())
                          .descriptorString())
          .collect(Collectors.toSet());

  private static final Set<String> ARRAYS =
      Stream.of(
              F64.class,
              F32.class,
              I64.class,
              I32.class,
              I16.class,
              I8.class,
              Reals.class,
              Integers.class)
          .map(Intrinsics::name)
          .collect(Collectors.toSet());

  /** What kernels see of arrays whose type is chosen when the kernel is made. */
  private static final Map<String, Type> GENERAL =
      Map.of(name(Reals.class), Type.F64, name(Integers.class), Type.I64);

  private static final Set<String> BOXES =
      Stream.of("Integer", "Long", "Float", "Double", "Boolean", "Short", "Byte", "Character")
          .map("java/lang/"::concat)
          .collect(Collectors.toSet());
  private static final Map<String, Operation> OPERATIONS = new HashMap<>();

  /** The name of a class in class files. */
  static String name(Class<?> type) {
    return type.getName().replace('.', '/');
  }

  static {
    for (String math : new String[] {"java/lang/Math.", "java/lang/StrictMath."}) {
      unary(math + "sqrt(D)D", UnaryOp.SQRT);
      unary(math + "abs(D)D", UnaryOp.ABS);
      unary(math + "abs(F)F", UnaryOp.ABS);
      unary(math + "floor(D)D", UnaryOp.FLOOR);
      unary(math + "ceil(D)D", UnaryOp.CEIL);
      unary(math + "rint(D)D", UnaryOp.RINT);
      for (String t : new String[] {"D", "F"}) {
        String two = "(" + t + t + ")" + t;
        OPERATIONS.put(math + "min" + two, (c, x) -> Spelled.min(c.once(x[0]), c.once(x[1])));
        OPERATIONS.put(math + "max" + two, (c, x) -> Spelled.max(c.once(x[0]), c.once(x[1])));
        OPERATIONS.put(
            math + "fma(" + t + t + t + ")" + t, (_, x) -> new Expr.Fma(x[0], x[1], x[2]));
      }
      // The methods themselves throw if the bounds are in the wrong order.
      for (String t : new String[] {"D", "F", "J"}) {
        OPERATIONS.put(math + "clamp(" + t + t + t + ")" + t, (c, x) -> clamp(c, x[0], x[1], x[2]));
      }
      OPERATIONS.put(
          math + "clamp(JII)I",
          (c, x) ->
              KernelCode.convert(
                  Type.I32, clamp(c, x[0], KernelCode.index(x[1]), KernelCode.index(x[2]))));
    }
    for (UnaryOp op : UnaryOp.values()) {
      if (op.isFunction()) {
        unary("java/lang/Math." + op.name().toLowerCase(Locale.ROOT) + "(D)D", op);
      }
    }
    for (BinaryOp op : BinaryOp.values()) {
      if (op.isFunction()) {
        String method = "java/lang/Math." + op.symbol() + "(DD)D";
        OPERATIONS.put(method, (_, x) -> KernelCode.binary(op, x[0], x[1]));
      }
    }
    unary("java/lang/Integer.bitCount(I)I", UnaryOp.BIT_COUNT);
    unary("java/lang/Integer.numberOfLeadingZeros(I)I", UnaryOp.LEADING_ZEROS);
    narrowed("java/lang/Long.bitCount(J)I", UnaryOp.BIT_COUNT);
    narrowed("java/lang/Long.numberOfLeadingZeros(J)I", UnaryOp.LEADING_ZEROS);
    bits("java/lang/Float.floatToRawIntBits(F)I", Type.I32);
    bits("java/lang/Float.intBitsToFloat(I)F", Type.F32);
    bits("java/lang/Double.doubleToRawLongBits(D)J", Type.I64);
    bits("java/lang/Double.longBitsToDouble(J)D", Type.F64);
  }

  private static Expr clamp(KernelCode code, Expr x, Expr low, Expr high) {
    Expr atLeast = code.once(Spelled.max(code.once(x), code.once(low)));
    return Spelled.min(code.once(high), atLeast);
  }

  private static void unary(String method, UnaryOp op) {
    OPERATIONS.put(method, (_, x) -> KernelCode.unary(op, x[0]));
  }

  private static void narrowed(String method, UnaryOp op) {
    OPERATIONS.put(method, (_, x) -> KernelCode.convert(Type.I32, KernelCode.unary(op, x[0])));
  }

  private static void bits(String method, Type type) {
    OPERATIONS.put(method, (_, x) -> KernelCode.simple(new Expr.Bits(type, x[0])));
  }

  private final KernelCode code;
  private final Heap heap;
  private final boolean multipliesTiles;
  private final Place place;

  Intrinsics(KernelCode code, ClassFiles files, Place place, boolean multipliesTiles) {
    this.code = code;
    this.multipliesTiles = multipliesTiles;
    this.heap = new Heap(code, files);
    this.place = place;
  }

  static boolean isItem(String owner) {
    return ITEM.contains(owner);
  }

  boolean handles(String owner, String name, String type) {
    return (isItem(owner) && OF_ITEM.contains(name + type))
        || ARRAYS.contains(owner)
        || OPERATIONS.containsKey(owner + "." + name + type)
        || (BOXES.contains(owner) && (isBoxing(owner, name, type) || isUnboxing(name, type)))
        || (owner.equals("java/util/Objects") && name.equals("requireNonNull"))
        || isOfTiles(owner, name);
  }

  private boolean isOfTiles(String owner, String name) {
    return (multipliesTiles && TileCalls.isStep(owner, name))
        || (owner.equals(TileCalls.OWNER) && name.equals(TileCalls.REQUIRE));
  }

  private static boolean isBoxing(String owner, String name, String type) {
    return name.equals("valueOf") && type.length() == 4 + owner.length() + 1;
  }

  private static boolean isUnboxing(String name, String type) {
    return name.endsWith("Value") && type.startsWith("()");
  }

  @Nullable Value call(
      Frame frame,
      String owner,
      String name,
      String type,
      @Nullable Value receiver,
      Value[] arguments) {
    if (isItem(owner)) {
      return item(frame, name, arguments);
    }
    if (ARRAYS.contains(owner)) {
      return array(frame, owner, name, receiver, arguments);
    }
    if (owner.equals("java/util/Objects")) {
      return arguments[0];
    }
    if (isOfTiles(owner, name)) {
      TileCalls tiles = new TileCalls(code);
      if (name.equals(TileCalls.REQUIRE)) {
        tiles.requireWhole(frame, place.axes());
      } else {
        code.at(frame);
        tiles.call(frame, name, type, receiver, arguments);
      }
      return null;
    }
    Operation operation = OPERATIONS.get(owner + "." + name + type);
    if (operation != null) {
      Expr[] operands = new Expr[arguments.length];
      for (int i = 0; i < operands.length; i++) {
        operands[i] = number(frame, arguments[i]);
      }
      return new Value.Num(operation.of(code, operands));
    }
    if (name.equals("valueOf")) {
      return new Value.Boxed(code.once(number(frame, arguments[0])));
    }
    if (receiver instanceof Value.Boxed(Expr e)) {
      return new Value.Num(unboxed(e, type.charAt(2)));
    }
    if (receiver instanceof Value.Constant(Object object)) {
      return new Value.Num(unboxed(((Value.Num) Heap.lifted(object)).expr(), type.charAt(2)));
    }
    if (receiver instanceof Value.Num(Expr e)) {
      return new Value.Num(unboxed(e, type.charAt(2)));
    }
    throw Refusal.at(frame, "takes a number out of something that is no number");
  }

  private static Expr unboxed(Expr e, char type) {
    return switch (type) {
      case 'J' -> KernelCode.convert(Type.I64, e);
      case 'F' -> KernelCode.convert(Type.F32, e);
      case 'D' -> KernelCode.convert(Type.F64, e);
      case 'B' -> KernelCode.narrow(KernelCode.convert(Type.I32, e), 8, true);
      case 'S' -> KernelCode.narrow(KernelCode.convert(Type.I32, e), 16, true);
      default -> KernelCode.convert(Type.I32, e);
    };
  }

  private static Expr number(Frame frame, @Nullable Value value) {
    if (value instanceof Value.Num(Expr e)) {
      return e;
    }
    throw Refusal.at(frame, "uses an object as a number");
  }

  // --- Arrays that a launch passes --------------------------------------------------------------

  private @Nullable Value array(
      Frame frame, String owner, String name, @Nullable Value receiver, Value[] arguments) {
    if (!(receiver instanceof Value.Parameter(Buffer buffer, Expr length, int argument))) {
      throw Refusal.at(
          frame,
          "calls " + name + " of an array that is not a parameter of the kernel",
          "arrays come with the launch: make it a parameter");
    }
    return switch (name) {
      case "length" -> new Value.Num(length);
      case "get" -> {
        List<Expr> index = indices(frame, arguments, arguments.length);
        Expr loaded =
            code.load(
                buffer, place(frame, argument, index), checks(frame, argument, length, index));
        Type general = GENERAL.getOrDefault(owner, loaded.type());
        yield new Value.Num(KernelCode.convert(general, loaded));
      }
      case "set" -> {
        List<Expr> index = indices(frame, arguments, arguments.length - 1);
        Type stored = new Type(buffer.storage().register(), 1);
        Expr value = number(frame, arguments[arguments.length - 1]);
        code.store(
            buffer,
            place(frame, argument, index),
            KernelCode.convert(stored, value),
            checks(frame, argument, length, index));
        yield null;
      }
      case "extent" -> {
        if (!(number(frame, arguments[0]) instanceof Expr.Const axis)) {
          throw Refusal.at(frame, "asks for an axis that only a launch knows", "give a constant");
        }
        yield new Value.Num(code.tensors().extent(frame, argument, (int) axis.bits()));
      }
      default ->
          throw Refusal.at(
              frame, "calls " + name + " of an array", "kernels use get, set, length and extent");
    };
  }

  private List<Expr> indices(Frame frame, Value[] arguments, int axes) {
    List<Expr> index = new ArrayList<>();
    for (int axis = 0; axis < axes; axis++) {
      index.add(KernelCode.index(number(frame, arguments[axis])));
    }
    return index;
  }

  /** An element's place: in memory by one index, in a tensor by one per axis. */
  private Expr place(Frame frame, int argument, List<Expr> index) {
    return index.size() == 1 ? index.getFirst() : code.tensors().place(frame, argument, index);
  }

  private IndexCheck[] checks(Frame frame, int argument, Expr length, List<Expr> index) {
    String name = "argument " + (argument + 1);
    if (index.size() == 1) {
      return new IndexCheck[] {IndexCheck.of(index.getFirst(), length, name)};
    }
    IndexCheck[] checks = new IndexCheck[index.size()];
    for (int axis = 0; axis < checks.length; axis++) {
      Expr extent = code.tensors().extent(frame, argument, axis);
      checks[axis] = IndexCheck.of(index.get(axis), extent, "axis " + axis + " of " + name);
    }
    return checks;
  }

  // --- The item ---------------------------------------------------------------------------------

  private @Nullable Value item(Frame frame, String name, Value[] arguments) {
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
          exchange(ExchangeOp.SHUFFLE, number(frame, arguments[0]), number(frame, arguments[1]));
      case "ballot" -> exchange(ExchangeOp.BALLOT, number(frame, arguments[0]), KernelCode.ZERO);
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
    Expr value = arguments.length == 1 ? Expr.of(0) : number(frame, arguments[1]);
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

  private static final Set<String> PLACES =
      Set.of("global", "globalSize", "local", "blockSize", "block", "blocks");

  private Axis axis(Frame frame, Value number) {
    if (!(number(frame, number) instanceof Expr.Const axis)) {
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
    return heap.array(frame, kind, number(frame, arguments[0]), true);
  }

  private static final Map<String, AtomicOp> ATOMICS =
      Map.of(
          "atomicAdd", AtomicOp.ADD,
          "atomicMin", AtomicOp.MIN,
          "atomicMax", AtomicOp.MAX,
          "atomicAnd", AtomicOp.AND,
          "atomicOr", AtomicOp.OR,
          "atomicXor", AtomicOp.XOR,
          "atomicExchange", AtomicOp.EXCHANGE,
          "atomicCompareExchange", AtomicOp.COMPARE_AND_SET);

  private Value atomic(Frame frame, String name, Value[] arguments) {
    AtomicOp op = ATOMICS.get(name);
    if (op == null) {
      throw Refusal.at(frame, "calls " + name + " of the item");
    }
    Expr index = KernelCode.index(number(frame, arguments[1]));
    Buffer buffer;
    IndexCheck check;
    switch (arguments[0]) {
      case Value.Parameter(Buffer memory, Expr length, int argument) -> {
        buffer = memory;
        check = IndexCheck.of(index, length, "argument " + (argument + 1));
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
    Expr value = number(frame, arguments[arguments.length - 1]);
    Expr expected = number(frame, arguments[2]);
    return new Value.Num(code.atomic(op, buffer, index, value, expected, check));
  }
}
