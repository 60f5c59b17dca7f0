package dev.rialto.jit.lift;

import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.KernelBody;
import dev.rialto.jit.kernel.Reals;
import dev.rialto.jit.lift.Lifted.Argument;
import dev.rialto.jit.lift.classfile.ClassFiles;
import dev.rialto.jit.lift.classfile.ClassFiles.Found;
import dev.rialto.jit.lift.classfile.DebugNames;
import dev.rialto.jit.lift.classfile.LambdaSite;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Binary;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.CompilationException;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import java.lang.classfile.ClassFile;
import java.lang.constant.ClassDesc;
import java.lang.invoke.MethodHandleInfo;
import java.lang.invoke.SerializedLambda;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Lifts a lambda or a method reference into a procedure over blocks of items. */
public final class Lifter {
  private static final long MOST_BLOCKS = Long.MAX_VALUE >> 16;
  private static final int MOST_ATTEMPTS = 100;

  private final String name;
  private final LiftOptions how;
  private final SerializedLambda lambda;
  private final ClassFiles files;
  private final Found found;

  private Lifter(String name, KernelBody body, LiftOptions how) {
    this.name = name;
    this.how = how;
    this.lambda = LambdaSite.of(body);
    this.files = new ClassFiles(body.getClass().getClassLoader());
    this.found =
        files
            .find(lambda.getImplClass())
            .flatMap(
                c -> files.method(c, lambda.getImplMethodName(), lambda.getImplMethodSignature()))
            .orElseThrow(
                () ->
                    new CompilationException(
                        "the class file of "
                            + lambda.getImplClass().replace('/', '.')
                            + " is not found",
                        "",
                        "its class loader must give it out as a resource",
                        null));
  }

  /** Returns what is equal for two lambdas with the same code and equal captured values. */
  public static List<Object> identity(Object function) {
    SerializedLambda site = LambdaSite.find(function);
    if (site == null) {
      return List.of(function);
    }
    List<Object> parts = new ArrayList<>();
    parts.add(function.getClass().getClassLoader());
    parts.add(site.getImplClass() + "." + site.getImplMethodName() + site.getImplMethodSignature());
    for (int i = 0; i < site.getCapturedArgCount(); i++) {
      parts.add(site.getCapturedArg(i));
    }
    return parts;
  }

  /**
   * Lifts a method.
   *
   * @param name of the procedure; letters, digits and underscores
   * @param block the items of a block along each axis
   * @throws CompilationException if it does something that kernels cannot, with file and line
   */
  public static Lifted lift(String name, Shape block, KernelBody body) {
    return lift(name, body, new LiftOptions(block));
  }

  /**
   * Lifts a method.
   *
   * @throws CompilationException as above
   */
  public static Lifted lift(String name, KernelBody body, LiftOptions how) {
    Lifter lifter = new Lifter(name, body, how);
    Set<String> changing = new HashSet<>();
    for (int attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      try {
        return lifter.attempt(changing);
      } catch (MethodLifter.Assumed e) {
        changing.addAll(e.changing);
      }
    }
    throw Refusal.at(null, "has loops whose variables change their objects in too many ways");
  }

  /** Returns the name of the method behind a lambda, for messages. */
  public static String name(KernelBody body) {
    SerializedLambda site = LambdaSite.of(body);
    return site.getImplClass().replace('/', '.') + "." + site.getImplMethodName();
  }

  /** Returns what a lambda captures, in order. */
  public static List<@Nullable Object> captured(KernelBody body) {
    return captured(LambdaSite.of(body));
  }

  private static List<@Nullable Object> captured(SerializedLambda lambda) {
    List<@Nullable Object> values = new ArrayList<>();
    for (int i = 0; i < lambda.getCapturedArgCount(); i++) {
      values.add(lambda.getCapturedArg(i));
    }
    return values;
  }

  private Lifted attempt(Set<String> changing) {
    Set<Integer> passed = how.passed();
    IndexGuards guards = new IndexGuards(how.guarded());
    KernelCode code = new KernelCode(how.marked(), guards, how.copies());
    Frame frame = new Frame(null, null, found.owner(), found.model());
    List<ClassDesc> types = found.model().methodTypeSymbol().parameterList();
    List<Argument> arguments = new ArrayList<>();
    List<Stmt> before = new ArrayList<>();
    List<Buffer> parameters = new ArrayList<>();
    Buffer numbers = new Buffer("numbers", Buffer.Storage.I64, 0, false);
    List<Axis> axes = axes();
    for (int i = 0; i < axes.size(); i++) {
      before.add(new Stmt.Let(axes.get(i).items(), new Expr.Load(numbers, Expr.of(i), 1)));
    }
    List<Value> captured = captured();
    boolean isStatic = (found.model().flags().flagsMask() & ClassFile.ACC_STATIC) != 0;
    Value receiver = isStatic ? null : captured.removeFirst();
    int taken = isStatic ? 0 : 1;
    int given = axes.size() + types.size() - captured.size() - 1;
    int words = given + passed.size();
    Outside outside = new Outside(code, how.bindings(), numbers, words + axes.size() - 1);
    SortedMap<Integer, Argument> passedTypes = new TreeMap<>();
    for (int i : new TreeSet<>(passed)) {
      Argument argument = ArgumentTypes.of(frame, types.get(i - taken), how.elements());
      Var number = new Var("c" + i, ArgumentTypes.type(argument));
      Expr loaded = new Expr.Load(numbers, Expr.of(given + passedTypes.size()), 1);
      before.add(new Stmt.Let(number, decoded(number.type(), loaded)));
      captured.set(i - taken, new Value.Num(number));
      passedTypes.put(i, argument);
    }
    List<Value> values = new ArrayList<>(captured);
    for (int i = captured.size(); i < types.size(); i++) {
      if (i == captured.size()) {
        requireItem(frame, types.get(i));
        values.add(new Value.ItemRef());
        continue;
      }
      int place = arguments.size() + axes.size();
      Argument argument = ArgumentTypes.of(frame, types.get(i), how.elements());
      arguments.add(argument);
      Expr loaded = new Expr.Load(numbers, Expr.of(place), 1);
      if (argument.isArray()) {
        Buffer buffer = new Buffer("p" + place, argument.storage(), 0, false);
        Var length = Lifted.length(place);
        parameters.add(buffer);
        outside.first(parameters.getFirst());
        before.add(new Stmt.Let(length, loaded));
        values.add(
            array(
                types.get(i), argument, new Value.Parameter(buffer, length, arguments.size() - 1)));
      } else {
        Var number = new Var("x" + place, ArgumentTypes.type(argument));
        before.add(new Stmt.Let(number, decoded(number.type(), loaded)));
        boolean boxed = types.get(i).isClassOrInterface();
        values.add(boxed ? new Value.Boxed(number) : new Value.Num(number));
      }
    }

    Var number = new Var("block", Type.I64);
    Var count = new Var("count", Type.I64);
    Var local = new Var("local", Type.I64);
    Intrinsics.Place place =
        new Intrinsics.Place(local, number, count, axes, how.guarded().proving());
    guards.item(place.global());
    Calls calls =
        new Calls(
            code,
            files,
            changing,
            new Intrinsics(code, files, place, how.multipliesTiles()),
            outside);
    List<Stmt> lifted =
        code.collect(() -> calls.lift(frame, receiver, values.toArray(Value[]::new)));
    before.addAll(outside.loads());
    parameters.addAll(outside.parameters());
    parameters.addAll(code.tables().parameters());
    boolean waits = Ir.contains(lifted, Lifted::meets);
    List<Stmt> body = Jumps.straighten(lifted, waits ? frame.endLabel : "");

    List<Stmt> item = new ArrayList<>();
    boolean several = axes.size() > 1;
    if (several) {
      let(axes.stream().map(Axis::local).toList(), Axis.places(axes, local), item);
    }
    code.own().forEach(b -> item.add(new Stmt.Array(b)));
    code.variables().forEach(v -> item.add(new Stmt.Let(v, Expr.of(v.type(), 0))));
    item.addAll(body);
    Var begin = new Var("begin", Type.I64);
    Var end = new Var("end", Type.I64);
    List<Stmt> inBlock = new ArrayList<>();
    code.shared().forEach(b -> inBlock.add(new Stmt.Array(b)));
    if (several) {
      inBlock.addAll(blocks(axes, number, numbers, words, before));
      axes.forEach(axis -> inBlock.addAll(axis.bounds()));
      Expr product =
          axes.stream()
              .map(axis -> (Expr) axis.count())
              .reduce((x, y) -> new Binary(BinaryOp.MUL, x, y))
              .orElseThrow();
      inBlock.add(new Stmt.Let(count, product));
    } else {
      inBlock.addAll(axes.getFirst().bounds(end));
    }
    inBlock.add(new Stmt.Items(local, count, (int) how.block().count(), new Stmt.Block(item)));
    int arrays = parameters.size();
    if (!code.lines().isEmpty()) {
      parameters.add(KernelCode.PRINTED);
    }
    boolean isGuarded = guards.isUsed();
    if (isGuarded) {
      parameters.add(IndexGuards.FAULTS);
    }
    int known = words + axes.size() - 1 + outside.places().size();
    List<Stmt> places = code.tensors().loads(numbers, known);
    before.addAll(places);
    long all = (long) known + places.size();
    Buffer counted = new Buffer(numbers.name(), numbers.storage(), all, false, true);
    parameters.add(counted);
    before.replaceAll(step -> Ir.mapExpressions(step, e -> replaced(e, numbers, counted)));
    before.add(new Stmt.For(number, begin, end, 1, new Stmt.Block(inBlock)));
    Procedure procedure =
        new Procedure(
            name,
            parameters,
            MOST_BLOCKS,
            new Procedure.Grain(1, 1),
            begin,
            end,
            new Stmt.Block(before));
    List<Access> accesses =
        parameters.subList(0, arrays).stream().map(b -> access(code, b)).toList();
    return new Lifted(
        procedure,
        arguments,
        passedTypes,
        outside.arrays(),
        outside.places(),
        code.tables().elements(),
        code.tensors().used(),
        accesses,
        guards.sites(),
        isGuarded,
        code.lines(),
        code.shared(),
        code.own(),
        code.needsWholeBlocks(),
        axes,
        frame.endLabel,
        how.marked() ? names(code, parameters.subList(0, arrays), arguments) : Map.of());
  }

  private static Expr replaced(Expr e, Buffer buffer, Buffer other) {
    return Ir.rewrite(
        e,
        x ->
            x instanceof Expr.Load(Buffer b, Expr at, int n) && b.equals(buffer)
                ? new Expr.Load(other, at, n)
                : x);
  }

  /** Finds the places of a block along several axes. */
  private static List<Stmt> blocks(
      List<Axis> axes, Var number, Buffer numbers, int firstWord, List<Stmt> before) {
    List<Stmt> steps = new ArrayList<>();
    Expr rest = number;
    for (int i = axes.size() - 1; i > 0; i--) {
      Var word = new Var("word" + i, Type.I64);
      Var quotient = new Var("quotient" + i, Type.I64);
      before.add(new Stmt.Let(word, new Expr.Load(numbers, Expr.of(firstWord + i - 1), 1)));
      steps.add(new Stmt.Let(quotient, BlockQuotient.of(rest, word)));
      Expr whole = new Binary(BinaryOp.MUL, quotient, axes.get(i).blocks());
      steps.add(new Stmt.Let(axes.get(i).block(), new Binary(BinaryOp.SUB, rest, whole)));
      rest = quotient;
    }
    steps.add(new Stmt.Let(axes.getFirst().block(), rest));
    return steps;
  }

  /** The names of arrays in messages. */
  private Map<Buffer, String> names(
      KernelCode code, List<Buffer> arrays, List<Argument> arguments) {
    Map<Buffer, String> names = new HashMap<>(code.origins());
    List<String> parameters = DebugNames.of(found.model());
    int before = parameters.size() - arguments.size();
    int at = 0;
    for (int i = 0; i < arguments.size(); i++) {
      if (arguments.get(i).isArray()) {
        String name = parameters.get(before + i);
        names.put(arrays.get(at++), name.isEmpty() ? "argument " + (i + 1) : "'" + name + "'");
      }
    }
    return names;
  }

  /** An array; one of 16-bit floating-point numbers is an object around that of their bits. */
  private Value array(ClassDesc type, Argument argument, Value.Parameter bits) {
    if (argument != Argument.F16 && argument != Argument.BF16) {
      return bits;
    }
    String name = type.descriptorString();
    String owner = name.substring(1, name.length() - 1);
    if (owner.equals(Intrinsics.name(Reals.class))) {
      owner =
          Intrinsics.name(argument == Argument.F16 ? Reals.Halves.class : Reals.UpperHalves.class);
    }
    Value.Taken object = Value.Taken.ofCopies(files.find(owner).orElseThrow());
    object.fields.put("bits", bits);
    return object;
  }

  /** The axes of the launch; a single one has the names of the block itself. */
  private List<Axis> axes() {
    List<Axis> axes = new ArrayList<>();
    Shape block = how.block();
    for (int axis = 0; axis < block.rank(); axis++) {
      axes.add(Axis.of(block.rank() == 1 ? "" : Integer.toString(axis), block.extent(axis)));
    }
    return axes;
  }

  private static void let(List<Var> variables, List<Expr> values, List<Stmt> steps) {
    for (int i = 0; i < variables.size(); i++) {
      steps.add(new Stmt.Let(variables.get(i), values.get(i)));
    }
  }

  private static Access access(KernelCode code, Buffer buffer) {
    if (!code.stores(buffer)) {
      return Access.READ;
    }
    return code.loads(buffer) ? Access.READ_WRITE : Access.WRITE;
  }

  private List<Value> captured() {
    if (lambda.getImplMethodKind() == MethodHandleInfo.REF_newInvokeSpecial) {
      throw Refusal.at(null, "is a constructor", "refer to a method");
    }
    List<Value> values = new ArrayList<>();
    captured(lambda).forEach(value -> values.add(Heap.lifted(value)));
    return values;
  }

  private static void requireItem(Frame frame, ClassDesc type) {
    if (!type.equals(Item.class.describeConstable().orElseThrow())) {
      throw Refusal.at(
          frame, "takes " + type.displayName() + " first", "the first parameter is the Item");
    }
  }

  /** Returns a number of a type, of its bits as a launch passes them. */
  static Expr decoded(Type type, Expr bits) {
    return switch (type.kind()) {
      case I64 -> bits;
      case F64 -> new Expr.Bits(Type.F64, bits);
      case F32 -> new Expr.Bits(Type.F32, new Expr.Convert(Type.I32, bits));
      default -> new Expr.Convert(Type.I32, bits);
    };
  }
}
