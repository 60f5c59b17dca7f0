package dev.rialto.jit.lift;

import dev.rialto.jit.kernel.Bindings;
import dev.rialto.jit.kernel.IndexedMemory;
import dev.rialto.jit.lift.IndexGuards.Check;
import dev.rialto.jit.lift.Lifted.Argument;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Arrays and numbers from outside that each launch passes, in the order in which a method comes to
 * use them.
 */
final class Outside {
  /**
   * The elements of memory up to which places are computed in 32 bits. Half of what these hold, so
   * that a place and its distance from another both fit.
   */
  private static final long MOST_NARROW = 1L << 30;

  private final KernelCode code;
  private final Bindings bindings;
  private final Buffer numbers;
  private final int firstNumber;
  private final IdentityHashMap<Object, Buffer> buffers = new IdentityHashMap<>();
  private final List<Object> arrays = new ArrayList<>();
  private final List<Buffer> parameters = new ArrayList<>();
  private final SortedMap<Integer, Argument> places = new TreeMap<>();
  private final Map<Integer, Var> variables = new TreeMap<>();
  private final List<Stmt> loads = new ArrayList<>();

  /** The indices of the element that an item sets. */
  private List<Expr> own = List.of();

  /**
   * Begins with nothing.
   *
   * @param numbers the memory of the numbers that a launch passes
   * @param firstNumber where in it those of a function begin
   */
  Outside(KernelCode code, Bindings bindings, Buffer numbers, int firstNumber) {
    this.code = code;
    this.bindings = bindings;
    this.numbers = numbers;
    this.firstNumber = firstNumber;
  }

  /** Tells which memory the first array argument is. */
  void first(Buffer buffer) {
    if (bindings.first() != null) {
      buffers.putIfAbsent(bindings.first(), buffer);
    }
  }

  /** The arrays, without the first argument. */
  List<Object> arrays() {
    return arrays;
  }

  List<Buffer> parameters() {
    return parameters;
  }

  /** The captured numbers, by their places among all that the function captures. */
  SortedMap<Integer, Argument> places() {
    return places;
  }

  /** The steps that load the numbers. */
  List<Stmt> loads() {
    return loads;
  }

  /** Returns the memory of an array that each launch passes; null if the object is none. */
  @Nullable IndexedMemory memory(Object object) {
    return bindings.arrays().apply(object);
  }

  /** Notes a call; returns whether each launch passes the numbers that the function captures. */
  @SuppressWarnings("ReferenceEquality") // another with equal numbers has its own
  boolean called(Object function, Value[] arguments) {
    if (bindings.function() != function) {
      return false;
    }
    own =
        Arrays.stream(arguments).map(each -> KernelCode.index(((Value.Num) each).expr())).toList();
    return bindings.passesNumbers();
  }

  /** Returns what a function captures: a number of each launch, or what it was. */
  Value captured(int place, @Nullable Object value) {
    Argument argument =
        switch (value) {
          case Boolean _, Character _, Byte _, Short _, Integer _ -> Argument.INT;
          case Long _ -> Argument.LONG;
          case Float _ -> Argument.FLOAT;
          case Double _ -> Argument.DOUBLE;
          case null, default -> null;
        };
    if (argument == null) {
      return Heap.lifted(value);
    }
    Var known = variables.get(place);
    if (known == null) {
      known = new Var("f" + place, ArgumentTypes.type(argument));
      Expr loaded = new Expr.Load(numbers, Expr.of(firstNumber + places.size()), 1);
      loads.add(new Stmt.Let(known, Lifter.decoded(known.type(), loaded)));
      variables.put(place, known);
      places.put(place, argument);
    }
    return new Value.Num(known);
  }

  // --- Elements ---------------------------------------------------------------------------------

  /** Writes a call of an array's method; of 16-bit numbers it gives the bits. */
  Value call(Frame frame, Object array, IndexedMemory memory, String name, Value[] arguments) {
    if (!name.equals("get")) {
      throw Refusal.at(
          frame,
          "calls " + name + " of " + array,
          "functions on a device read arrays with get; copy what else they need to a local"
              + " variable before the lambda");
    }
    if (bindings.function() == null && !frame.owner.internalName().startsWith(bindings.trusted())) {
      throw Refusal.at(
          frame,
          "reads " + array,
          "a function of elements is given those of other arrays as values, a function of indices"
              + " reads them");
    }
    if (memory.type().kind() == DType.Kind.COMPLEX) {
      throw Refusal.at(
          frame, "reads " + array, "functions of indices on a device read arrays of real numbers");
    }
    List<Expr> index = index(frame, arguments);
    if (index.size() != memory.axes()) {
      throw Refusal.at(
          frame, "reads %s with %d indices".formatted(array, index.size()), "give one per axis");
    }
    Buffer buffer = buffers.computeIfAbsent(array, _ -> parameter(array, memory.type()));
    Check[] checks = isSet(array) ? ownOnly(array, index) : checks(memory, index);
    return new Value.Num(code.load(buffer, place(memory, index), checks));
  }

  private Buffer parameter(Object array, DType type) {
    Buffer.Storage storage =
        type.size() == 2 ? Buffer.Storage.I16 : Buffer.Storage.valueOf(type.name());
    Buffer made = new Buffer("q" + parameters.size(), storage, 0, false);
    arrays.add(array);
    parameters.add(made);
    return made;
  }

  /** The indices of a call, each by itself or in one array. */
  private List<Expr> index(Frame frame, Value[] arguments) {
    List<Expr> index = new ArrayList<>();
    for (Value each : arguments) {
      switch (each) {
        case Value.Num(Expr e) -> index.add(KernelCode.index(e));
        case Value.LocalArray(Buffer buffer, var _, boolean _) -> {
          for (long i = 0; i < buffer.elements(); i++) {
            index.add(KernelCode.index(code.load(buffer, Expr.of(i))));
          }
        }
        default -> throw Refusal.at(frame, "uses an object as an index");
      }
    }
    return index;
  }

  /**
   * Returns where an element lies. Neighbours have the same place but for a constant, which is
   * added last, so that a compiler computes that once and puts the constant into the address.
   */
  private static Expr place(IndexedMemory memory, List<Expr> index) {
    long beyond = 0;
    long distance = 0;
    for (int axis = 0; axis < index.size(); axis++) {
      long along = constant(index.get(axis)) * memory.strides().get(axis);
      beyond += along;
      distance += Math.abs(along);
    }
    boolean narrow = memory.span() <= MOST_NARROW && distance < MOST_NARROW;
    Type type = narrow ? Type.I32 : Type.I64;
    Expr sum = KernelCode.constant(type, memory.offset());
    for (int axis = 0; axis < index.size(); axis++) {
      Expr low = Expr.of(memory.low().get(axis));
      Expr at = KernelCode.binary(BinaryOp.SUB, variable(index.get(axis)), low);
      Expr stride = KernelCode.constant(type, memory.strides().get(axis));
      Expr along = KernelCode.binary(BinaryOp.MUL, KernelCode.convert(type, at), stride);
      sum = KernelCode.binary(BinaryOp.ADD, sum, along);
    }
    return KernelCode.binary(BinaryOp.ADD, KernelCode.index(sum), Expr.of(beyond));
  }

  private static long constant(Expr index) {
    return switch (index) {
      case Const c -> c.bits();
      case Binary(BinaryOp op, Expr x, Expr y) when op == BinaryOp.ADD -> constant(x) + constant(y);
      case Binary(BinaryOp op, Expr x, Expr y) when op == BinaryOp.SUB -> constant(x) - constant(y);
      default -> 0;
    };
  }

  private static Expr variable(Expr index) {
    return switch (index) {
      case Const c -> KernelCode.constant(c.type(), 0);
      case Binary(BinaryOp op, Expr x, Expr y) when op == BinaryOp.ADD || op == BinaryOp.SUB ->
          KernelCode.binary(op, variable(x), variable(y));
      default -> index;
    };
  }

  /** Returns whether items set the elements of an array to what a function tells. */
  @SuppressWarnings("ReferenceEquality") // objects may be equal and have other memory
  private boolean isSet(Object array) {
    return bindings.function() != null && bindings.first() == array;
  }

  /** An item finds its own element as it was; others may have been set by now, or not yet. */
  private Check[] ownOnly(Object array, List<Expr> index) {
    List<Check> checks = new ArrayList<>();
    for (int axis = 0; axis < index.size(); axis++) {
      Expr set = own.get(axis);
      if (!set.equals(index.get(axis))) {
        Expr end = KernelCode.binary(BinaryOp.ADD, set, Expr.of(1));
        String name =
            "axis %d of %s, which is being set: a function reads its own element of that array, and others of another array"
                .formatted(axis, array);
        checks.add(new Check(index.get(axis), set, end, name));
      }
    }
    return checks.toArray(Check[]::new);
  }

  private static Check[] checks(IndexedMemory memory, List<Expr> index) {
    Check[] checks = new Check[index.size()];
    for (int axis = 0; axis < checks.length; axis++) {
      long low = memory.low().get(axis);
      Expr end = Expr.of(low + memory.extents().get(axis));
      String array = "axis %d of an array of %s".formatted(axis, memory.type());
      checks[axis] = new Check(index.get(axis), Expr.of(low), end, array);
    }
    return checks;
  }
}
