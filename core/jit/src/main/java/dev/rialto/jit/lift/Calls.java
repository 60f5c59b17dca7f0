package dev.rialto.jit.lift;

import dev.rialto.jit.kernel.BF16;
import dev.rialto.jit.kernel.F16;
import dev.rialto.jit.kernel.IndexedMemory;
import dev.rialto.jit.kernel.Reals;
import dev.rialto.jit.lift.Frame.State;
import dev.rialto.jit.lift.classfile.ClassFiles;
import dev.rialto.jit.lift.classfile.ClassFiles.Found;
import dev.rialto.jit.lift.classfile.ClassInfo;
import dev.rialto.jit.lift.classfile.LambdaSite;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.data.DType;
import java.lang.classfile.ClassFile;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.invoke.MethodHandleInfo;
import java.lang.invoke.SerializedLambda;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Calls: those that kernels have an operation for, and all others lifted in place. */
final class Calls {
  private static final int MOST_VARIABLES = 20_000;

  private final KernelCode code;
  private final ClassFiles files;
  private final Set<String> changing;
  private final Intrinsics intrinsics;
  private final Outside outside;

  Calls(
      KernelCode code,
      ClassFiles files,
      Set<String> changing,
      Intrinsics intrinsics,
      Outside outside) {
    this.code = code;
    this.files = files;
    this.changing = changing;
    this.intrinsics = intrinsics;
    this.outside = outside;
  }

  ClassFiles files() {
    return files;
  }

  DynamicCalls dynamic() {
    return new DynamicCalls(files);
  }

  /** Returns whether a place holds several constants of an enum. */
  boolean isChanging(String key) {
    return changing.contains(key);
  }

  /** Writes a call and returns what it gives; null if that is nothing. */
  @Nullable Value call(
      Frame frame, InvokeInstruction call, @Nullable Value receiver, Value[] arguments) {
    String owner = call.owner().asInternalName();
    String name = call.name().stringValue();
    String type = call.type().stringValue();
    // Reals of 16 bits are objects, whose methods have the names of the array's.
    boolean half = receiver instanceof Value.Taken && owner.equals(Intrinsics.name(Reals.class));
    if (!half && intrinsics.handles(owner, name, type)) {
      return intrinsics.call(frame, owner, name, type, receiver, arguments);
    }
    if (name.equals("<init>")
        && (owner.equals("java/lang/Object") || owner.equals("java/lang/Record"))) {
      return null;
    }
    if (receiver != null && Enums.of(receiver) != null && name.equals("ordinal")) {
      return new Value.Num(Enums.ordinal(receiver));
    }
    if (name.equals("values") && type.equals("()[L" + owner + ";")) {
      return constants(frame, owner);
    }
    if (receiver instanceof Value.Function made && made.name().equals(name)) {
      return function(frame, made, arguments);
    }
    if (receiver instanceof Value.Constant(Object object)) {
      IndexedMemory memory = outside.memory(object);
      if (memory != null) {
        Value element = outside.call(frame, object, memory, name, arguments);
        return memory.type().size() == 2 ? number(frame, memory.type(), element) : element;
      }
    }
    if (receiver instanceof Value.Constant(Object object) && object.getClass().isHidden()) {
      SerializedLambda lambda = LambdaSite.find(object);
      if (lambda == null) {
        throw Refusal.at(
            frame,
            "calls " + owner.replace('/', '.') + "." + name + " of a lambda whose code is hidden",
            "give the lambda a type that is Serializable");
      }
      if (lambda.getFunctionalInterfaceMethodName().equals(name)) {
        files.add(object.getClass().getClassLoader());
        return function(frame, object, lambda, arguments);
      }
    }
    Found found = find(frame, call, owner, receiver, name, type);
    Value result = inline(frame, null, found, receiver, arguments);
    if (name.equals("<init>") && receiver instanceof Value.Taken object) {
      object.isMade = true;
    }
    return result;
  }

  private Value constants(Frame frame, String type) {
    try {
      return new Value.EnumConstants(Enums.all(files.load(type)));
    } catch (ClassNotFoundException e) {
      throw Refusal.at(frame, "uses the constants of " + type + ", which is not found");
    }
  }

  /** Writes a call of a function that the kernel has made. */
  private @Nullable Value function(Frame frame, Value.Function function, Value[] arguments) {
    List<Value> all = new ArrayList<>(function.captured());
    all.addAll(List.of(arguments));
    DirectMethodHandleDesc method = function.method();
    if (method.kind() == DirectMethodHandleDesc.Kind.CONSTRUCTOR) {
      throw Refusal.at(frame, "makes a function of a constructor", "write a lambda that calls it");
    }
    boolean isStatic = method.refKind() == MethodHandleInfo.REF_invokeStatic;
    Value receiver = isStatic ? null : all.removeFirst();
    Value[] passed = all.toArray(Value[]::new);
    String owner = method.owner().descriptorString();
    String type = owner.substring(1, owner.length() - 1);
    String descriptor = method.lookupDescriptor();
    if (intrinsics.handles(type, method.methodName(), descriptor)) {
      return intrinsics.call(frame, type, method.methodName(), descriptor, receiver, passed);
    }
    String readable = method.owner().displayName() + "." + method.methodName();
    Found found =
        (receiver == null || method.refKind() == MethodHandleInfo.REF_invokeSpecial
                ? files.find(type)
                : type(frame, receiver, readable))
            .flatMap(c -> files.method(c, method.methodName(), descriptor))
            .orElseThrow(Refusal.missing(frame, "calls " + readable));
    return inline(frame, function, found, receiver, passed);
  }

  /** The number that 16 bits are. */
  private @Nullable Value number(Frame frame, DType type, Value bits) {
    Class<?> decoder = type == DType.F16 ? F16.class : BF16.class;
    Found found =
        files
            .find(Intrinsics.name(decoder))
            .flatMap(c -> files.method(c, "number", "(S)F"))
            .orElseThrow();
    return inline(frame, null, found, null, new Value[] {bits});
  }

  /** Writes a call of a lambda that was captured: of its method, with what it has captured. */
  private @Nullable Value function(
      Frame frame, Object function, SerializedLambda lambda, Value[] arguments) {
    boolean passes = outside.called(function, arguments);
    List<Value> all = new ArrayList<>();
    for (int i = 0; i < lambda.getCapturedArgCount(); i++) {
      Object captured = lambda.getCapturedArg(i);
      all.add(passes ? outside.captured(i, captured) : Heap.lifted(captured));
    }
    all.addAll(List.of(arguments));
    boolean isStatic = lambda.getImplMethodKind() == MethodHandleInfo.REF_invokeStatic;
    Value receiver = isStatic ? null : all.removeFirst();
    Value[] passed = all.toArray(Value[]::new);
    String owner = lambda.getImplClass();
    String name = lambda.getImplMethodName();
    String type = lambda.getImplMethodSignature();
    if (intrinsics.handles(owner, name, type)) {
      return intrinsics.call(frame, owner, name, type, receiver, passed);
    }
    Found found =
        files
            .find(owner)
            .flatMap(c -> files.method(c, name, type))
            .orElseThrow(Refusal.missing(frame, "calls " + owner.replace('/', '.') + "." + name));
    return inline(frame, function, found, receiver, passed);
  }

  private Found find(
      Frame frame,
      InvokeInstruction call,
      String owner,
      @Nullable Value receiver,
      String name,
      String type) {
    String readable = owner.replace('/', '.') + "." + name;
    if (owner.startsWith("java/io/")) {
      // What stands behind System.out is of any class, with any code.
      throw Refusal.at(
          frame,
          "calls " + readable + ", which is input or output",
          "use print of the item, or write results to an array and print that");
    }
    boolean exact =
        call.opcode() == Opcode.INVOKESTATIC
            || call.opcode() == Opcode.INVOKESPECIAL
            || Intrinsics.isItem(owner);
    Optional<ClassInfo> info =
        exact || receiver == null ? files.find(owner) : type(frame, receiver, readable);
    return info.flatMap(c -> files.method(c, name, type))
        .orElseThrow(Refusal.missing(frame, "calls " + readable));
  }

  /** The class whose method a call on an object reaches. */
  private Optional<ClassInfo> type(Frame frame, Value receiver, String readable) {
    return switch (receiver) {
      case Value.Taken taken -> Optional.of(taken.type);
      case Value.EnumRef(var all, Expr _) when Enums.haveOneClass(all) ->
          files.find(all.getFirst().getDeclaringClass().getName().replace('.', '/'));
      case Value.Constant(Object object) ->
          object.getClass().isHidden()
              ? Optional.empty()
              : files.find(object.getClass().getName().replace('.', '/'));
      default ->
          throw Refusal.at(
              frame,
              "calls " + readable + " on an object that only a launch knows",
              "call static methods, or methods of records and captured objects");
    };
  }

  /** Lifts a method in place of its call. */
  private @Nullable Value inline(
      Frame caller,
      @Nullable Object function,
      Found found,
      @Nullable Value receiver,
      Value[] arguments) {
    if (caller.calls(function, found.owner(), found.model())) {
      throw Refusal.at(
          caller,
          "calls " + Frame.name(found.owner(), found.model()) + ", which calls itself",
          "write a loop instead");
    }
    if ((found.model().flags().flagsMask() & ClassFile.ACC_SYNCHRONIZED) != 0) {
      throw Refusal.at(
          caller, "calls " + Frame.name(found.owner(), found.model()) + ", which is synchronized");
    }
    if (code.variables().size() > MOST_VARIABLES) {
      throw Refusal.at(caller, "is too large: it has more than " + MOST_VARIABLES + " variables");
    }
    Frame frame = new Frame(caller, function, found.owner(), found.model());
    lift(frame, receiver, arguments);
    boolean gives =
        found.model().methodTypeSymbol().returnType().descriptorString().charAt(0) != 'V';
    if (gives && frame.result == null) {
      throw Refusal.at(caller, "calls " + frame.name() + ", which never returns");
    }
    return frame.result;
  }

  /** Writes the body of a frame's method, with its arguments in the variables where it has them. */
  void lift(Frame frame, @Nullable Value receiver, Value[] arguments) {
    Map<Integer, Value> locals = new HashMap<>();
    MethodLifter lifter = new MethodLifter(code, frame, this, changing);
    int slot = 0;
    if ((frame.method.flags().flagsMask() & ClassFile.ACC_STATIC) == 0) {
      locals.put(slot++, receiver == null ? new Value.Null() : receiver);
    }
    List<ClassDesc> types = frame.method.methodTypeSymbol().parameterList();
    for (int i = 0; i < arguments.length; i++) {
      locals.put(slot, passed(frame, slot, arguments[i]));
      slot += TypeKind.from(types.get(i)).slotSize();
    }
    lifter.lift(new State(locals, List.of()));
  }

  private Value passed(Frame frame, int slot, Value given) {
    if (!frame.isNeverStored(slot)) {
      return new Steps(code, frame, this).keep("slot" + slot, given);
    }
    return given instanceof Value.Num(Expr e) && !(e instanceof Expr.Var)
        ? new Value.Num(code.once(e))
        : given;
  }
}
