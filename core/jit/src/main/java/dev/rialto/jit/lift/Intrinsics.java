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
import dev.rialto.jit.kernel.host.Lanes;
import dev.rialto.jit.lift.IndexGuards.Check;
import dev.rialto.jit.lift.classfile.ClassFiles;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Type;
import java.lang.invoke.MethodType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The methods that kernels have an operation for. */
final class Intrinsics {
  /**
   * The place of an item, as the launch tells it.
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

    Expr product(Function<Axis, Expr> size) {
      return axes.stream()
          .map(size)
          .reduce((x, y) -> KernelCode.binary(BinaryOp.MUL, x, y))
          .orElseThrow();
    }
  }

  /** The methods of the item that kernels have in Java, for elements narrower than a word. */
  private static final Class<?> NARROW = Item.class.getInterfaces()[0];

  private static final Set<String> ITEM = Set.of(name(Item.class), name(NARROW));

  private static final Set<String> OF_ITEM =
      Arrays.stream(Item.class.getMethods())
          .filter(method -> !method.isDefault() || method.getDeclaringClass() != NARROW)
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

  /** The types that kernels see of arrays whose type is chosen when the kernel is made. */
  private static final Map<String, Type> GENERAL =
      Map.of(name(Reals.class), Type.F64, name(Integers.class), Type.I64);

  private static final Set<String> BOXES =
      Stream.of("Integer", "Long", "Float", "Double", "Boolean", "Short", "Byte", "Character")
          .map("java/lang/"::concat)
          .collect(Collectors.toSet());

  static String name(Class<?> type) {
    return type.getName().replace('.', '/');
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
        || MathCalls.of(owner + "." + name + type) != null
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
      return new ItemCalls(code, heap, place).call(frame, name, arguments);
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
    MathCalls.Operation operation = MathCalls.of(owner + "." + name + type);
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

  static Expr number(Frame frame, @Nullable Value value) {
    if (value instanceof Value.Num(Expr e)) {
      return e;
    }
    throw Refusal.at(frame, "uses an object as a number");
  }

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
      case "load", "store" -> {
        boolean loads = name.equals("load");
        Expr first = code.once(KernelCode.index(number(frame, arguments[0])));
        lanes(frame, loads, buffer, first, arguments[1], length, "argument " + (argument + 1));
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
              frame,
              "calls " + name + " of an array",
              "kernels use get, set, load, store, length and extent");
    };
  }

  /** Moves elements side by side between an array of a launch and a whole one of the kernel. */
  private void lanes(
      Frame frame,
      boolean loads,
      Buffer memory,
      Expr first,
      Value array,
      Expr length,
      String name) {
    String verb = loads ? "loads" : "stores";
    if (!(array instanceof Value.LocalArray(Buffer lanes, var _, boolean isShared))) {
      throw Refusal.at(
          Refusal.user(frame),
          verb + " elements of an array that the kernel does not make",
          "make it in the kernel, as in new float[4]");
    }
    int bytes = memory.storage().bytes();
    if (!Lanes.fits(lanes.elements(), bytes)) {
      throw Refusal.at(
          Refusal.user(frame),
          "%s %d elements of %d bytes in one step".formatted(verb, lanes.elements(), bytes),
          Lanes.remedy(bytes));
    }
    int count = (int) lanes.elements();
    if (lanes.storage() == memory.storage() && !code.isMarked()) {
      Expr last = KernelCode.binary(BinaryOp.ADD, first, Expr.of(count - 1));
      Check[] checks = {Check.of(first, length, name), Check.of(last, length, name)};
      code.move(loads, lanes, memory, first, count, checks);
      return;
    }
    Type own = new Type(lanes.storage().register(), 1);
    Type stored = new Type(memory.storage().register(), 1);
    for (int k = 0; k < count; k++) {
      Expr at = KernelCode.binary(BinaryOp.ADD, first, Expr.of(k));
      Check check = Check.of(at, length, name);
      Check inside = Heap.check(lanes, Expr.of(k), isShared);
      if (loads) {
        Expr loaded = KernelCode.convert(own, code.load(memory, at, check));
        code.store(lanes, Expr.of(k), loaded, inside);
      } else {
        Expr value = KernelCode.convert(stored, code.load(lanes, Expr.of(k), inside));
        code.store(memory, at, value, check);
      }
    }
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

  private Check[] checks(Frame frame, int argument, Expr length, List<Expr> index) {
    String name = "argument " + (argument + 1);
    if (index.size() == 1) {
      return new Check[] {Check.of(index.getFirst(), length, name)};
    }
    Check[] checks = new Check[index.size()];
    for (int axis = 0; axis < checks.length; axis++) {
      Expr extent = code.tensors().extent(frame, argument, axis);
      checks[axis] = Check.of(index.get(axis), extent, "axis " + axis + " of " + name);
    }
    return checks;
  }
}
