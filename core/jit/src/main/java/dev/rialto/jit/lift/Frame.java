package dev.rialto.jit.lift;

import dev.rialto.jit.lift.classfile.ClassInfo;
import dev.rialto.jit.lift.classfile.Flow;
import dev.rialto.jit.lift.classfile.MatchFailures;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Type;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.MethodModel;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.constant.ClassDesc;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One call of a method that is lifted in place. */
final class Frame {
  /** The local variables and the operand stack at a place where control passes. */
  static final class State {
    final Map<Integer, Value> locals;
    final List<Value> stack;

    State(Map<Integer, Value> locals, List<Value> stack) {
      this.locals = new HashMap<>(locals);
      this.stack = new ArrayList<>(stack);
    }

    State copy() {
      return new State(locals, stack);
    }
  }

  final @Nullable Frame caller;

  /** The captured function that is called, or null. Another of the same code is no recursion. */
  private final @Nullable Object function;

  final ClassInfo owner;
  final MethodModel method;
  final Flow flow;
  private final Map<Integer, Integer> stores = new HashMap<>();
  private final Map<String, Var> variables = new HashMap<>();
  private final Map<String, Value.Taken> objects = new HashMap<>();
  private final int parameterSlots;
  private int returns;

  /** The instruction that is lifted now, and its line. */
  int number;

  int line;

  String endLabel = "";

  /** The result of the call, once it is known. */
  @Nullable Value result;

  Frame(@Nullable Frame caller, @Nullable Object function, ClassInfo owner, MethodModel method) {
    this.caller = caller;
    this.function = function;
    this.owner = owner;
    this.method = method;
    this.parameterSlots = parameterSlots(method);
    CodeModel code = method.code().orElseThrow(() -> Refusal.at(caller, missing(owner, method)));
    this.flow = new Flow(code);
    if (!MatchFailures.areAll(code)) {
      throw Refusal.at(
          caller == null ? this : caller,
          which() + "catches exceptions or is synchronized",
          "kernels have no exceptions: test what could fail before");
    }
    if (!flow.isReducible()) {
      throw Refusal.at(caller, which() + "jumps into the middle of a loop");
    }
    for (Flow.Step step : flow.steps()) {
      Instruction instruction = step.instruction();
      switch (instruction) {
        case StoreInstruction store -> stores.merge(store.slot(), 1, Integer::sum);
        // Counting changes a variable that something has stored before.
        case IncrementInstruction increment -> stores.merge(increment.slot(), 2, Integer::sum);
        case ReturnInstruction _ -> returns++;
        default -> {}
      }
    }
  }

  /** The subject of what is wrong with the whole method. */
  private String which() {
    return caller == null ? "" : "calls " + name() + ", which ";
  }

  private static int parameterSlots(MethodModel method) {
    int slots = (method.flags().flagsMask() & ClassFile.ACC_STATIC) != 0 ? 0 : 1;
    for (ClassDesc type : method.methodTypeSymbol().parameterList()) {
      slots += TypeKind.from(type).slotSize();
    }
    return slots;
  }

  private static String missing(ClassInfo owner, MethodModel method) {
    String what =
        (method.flags().flagsMask() & ClassFile.ACC_NATIVE) != 0 ? "is native" : "has no code";
    return "calls " + name(owner, method) + ", which " + what;
  }

  static String name(ClassInfo owner, MethodModel method) {
    String full = owner.name();
    return full.substring(full.lastIndexOf('.') + 1) + "." + method.methodName().stringValue();
  }

  String name() {
    return name(owner, method);
  }

  boolean returnsOnce() {
    return returns == 1;
  }

  /** Whether nothing but the call itself gives a value to a parameter. */
  boolean isNeverStored(int slot) {
    return !stores.containsKey(slot);
  }

  /** Whether one place alone gives a value to a variable that is no parameter. */
  boolean isStoredOnce(int slot) {
    return slot >= parameterSlots && stores.getOrDefault(slot, 0) == 1;
  }

  /** The variable of a place, such as a slot, that holds numbers of a type. */
  Var variable(KernelCode code, String place, Type type) {
    return variables.computeIfAbsent(place + type, _ -> code.fresh(type));
  }

  /** The object of a place that holds copies of objects of a class. */
  Value.Taken object(String place, ClassInfo type) {
    return objects.computeIfAbsent(place + type.internalName(), _ -> Value.Taken.ofCopies(type));
  }

  @SuppressWarnings("ReferenceEquality") // functions of one code with what each has captured
  boolean calls(@Nullable Object function, ClassInfo owner, MethodModel method) {
    boolean here =
        this.function == function
            && this.owner.internalName().equals(owner.internalName())
            && this.method.methodName().equalsString(method.methodName().stringValue())
            && this.method.methodType().equalsString(method.methodType().stringValue());
    return here || (caller != null && caller.calls(function, owner, method));
  }

  /** Tells this call from all others, in the same way each time the kernel is lifted. */
  String path() {
    return caller == null ? "" : caller.path() + "/" + caller.number;
  }

  String key(String place) {
    return path() + "#" + place;
  }

  /** The name of a local variable for messages. */
  String local(int slot) {
    return method
        .findAttribute(Attributes.code())
        .flatMap(code -> code.findAttribute(Attributes.localVariableTable()))
        .flatMap(
            table ->
                table.localVariables().stream()
                    .filter(v -> v.slot() == slot)
                    .map(v -> "variable '" + v.name().stringValue() + "'")
                    .findFirst())
        .orElse("a variable");
  }
}
