package dev.rialto.jit.lift;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.lift.Frame.State;
import dev.rialto.jit.loops.Ir;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Expr.UnaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Type;
import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.ArrayLoadInstruction;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.ConvertInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.IncrementInstruction;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.classfile.instruction.InvokeInstruction;
import java.lang.classfile.instruction.LoadInstruction;
import java.lang.classfile.instruction.MonitorInstruction;
import java.lang.classfile.instruction.NewMultiArrayInstruction;
import java.lang.classfile.instruction.NewObjectInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.NewReferenceArrayInstruction;
import java.lang.classfile.instruction.NopInstruction;
import java.lang.classfile.instruction.OperatorInstruction;
import java.lang.classfile.instruction.ReturnInstruction;
import java.lang.classfile.instruction.StackInstruction;
import java.lang.classfile.instruction.StoreInstruction;
import java.lang.classfile.instruction.TypeCheckInstruction;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DynamicConstantDesc;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The effect of each instruction on the operand stack, the local variables and the code. */
public final class Steps {
  private final KernelCode code;
  private final Frame frame;
  private final Calls calls;
  private final Heap heap;
  private State state = new State(java.util.Map.of(), List.of());

  Steps(KernelCode code, Frame frame, Calls calls) {
    this.code = code;
    this.frame = frame;
    this.calls = calls;
    this.heap = new Heap(code, calls.files());
  }

  /** Works on a state from now on. */
  void begin(State state) {
    this.state = state;
  }

  // --- The operand stack ------------------------------------------------------------------------

  private void push(Value value) {
    state.stack.add(value);
  }

  private void push(Expr value) {
    push(new Value.Num(code.bounded(value)));
  }

  private Value pop() {
    return state.stack.removeLast();
  }

  Expr popNumber() {
    return number(pop());
  }

  private Expr number(Value value) {
    return Intrinsics.number(frame, plain(value));
  }

  /** Makes a number of the result of a comparison that no branch takes. */
  Value plain(Value value) {
    if (!(value instanceof Value.Compared(Expr x, Expr y, int nan))) {
      return value;
    }
    Expr a = code.once(x);
    Expr b = code.once(y);
    Expr minus = KernelCode.constant(Type.I32, -1);
    Expr less = KernelCode.binary(BinaryOp.LT, a, b);
    Expr more = KernelCode.binary(BinaryOp.LT, b, a);
    Expr equal = KernelCode.binary(BinaryOp.EQ, a, b);
    Expr rest = KernelCode.constant(Type.I32, nan);
    return new Value.Num(
        KernelCode.select(
            less,
            minus,
            KernelCode.select(
                more, KernelCode.ONE, KernelCode.select(equal, KernelCode.ZERO, rest))));
  }

  /** Keeps values that use a variable as they are now, before it changes. */
  private void settle(Var changing) {
    state.stack.replaceAll(
        value ->
            switch (value) {
              case Value.Num(Expr e) when mentions(e, changing) -> new Value.Num(code.once(e));
              case Value.Compared(Expr x, Expr y, int nan)
                  when mentions(x, changing) || mentions(y, changing) ->
                  new Value.Compared(code.once(x), code.once(y), nan);
              case Value.EnumRef(var all, Expr e) when mentions(e, changing) ->
                  new Value.EnumRef(all, code.once(e));
              default -> value;
            });
  }

  private static boolean mentions(Expr e, Var v) {
    return Ir.contains(e, v::equals);
  }

  // --- Places -----------------------------------------------------------------------------------

  /** Copies a value to where all that comes to a place is kept, and returns it from there. */
  Value keep(String place, Value given) {
    return switch (plain(given)) {
      case Value.Num(Expr e) -> {
        Var variable = frame.variable(code, place, e.type());
        code.assign(variable, e);
        yield new Value.Num(variable);
      }
      case Value.Boxed(Expr e) -> {
        Var variable = frame.variable(code, place, e.type());
        code.assign(variable, e);
        yield new Value.Boxed(variable);
      }
      case Value.Taken object when object.isCopied() -> {
        Value.Taken copy = frame.object(place, object.type);
        heap.copy(object, copy, frame);
        yield copy;
      }
      case Value other -> {
        List<? extends Enum<?>> all = Enums.of(other);
        if (all == null || !calls.isChanging(frame.key(place))) {
          yield other;
        }
        Var variable = frame.variable(code, place, Type.I32);
        settle(variable);
        code.assign(variable, Enums.ordinal(other));
        yield new Value.EnumRef(all, variable);
      }
    };
  }

  private void store(int slot, Value given) {
    Value value = plain(given);
    boolean once = frame.isStoredOnce(slot);
    if (once && !(value instanceof Value.Num(Expr e) && !(e instanceof Const))) {
      state.locals.put(slot, value);
      return;
    }
    if (value instanceof Value.Num(Expr e)) {
      settle(frame.variable(code, "slot" + slot, e.type()));
    }
    state.locals.put(slot, keep("slot" + slot, value));
  }

  private Value load(int slot) {
    Value value = state.locals.get(slot);
    if (value == null) {
      throw Refusal.at(
          frame,
          "uses " + frame.local(slot) + ", which may hold one of several objects here",
          "give each object a variable of its own");
    }
    return value;
  }

  /** Ends the method. */
  void leave(ReturnInstruction r) {
    if (r.typeKind() == TypeKind.VOID || frame.caller == null) {
      return;
    }
    Value value = plain(pop());
    Value result = frame.returnsOnce() ? value : keep("result", value);
    if (frame.result != null && !frame.result.equals(result)) {
      if (isSameEnum(frame.result, result)) {
        throw new MethodLifter.Assumed(Set.of(frame.key("result")));
      }
      throw Refusal.at(frame, "calls " + frame.name() + ", which returns one of several objects");
    }
    frame.result = result;
  }

  static boolean isSameEnum(Value one, @Nullable Value other) {
    return other != null && Enums.of(one) != null && Objects.equals(Enums.of(one), Enums.of(other));
  }

  // --- Instructions -----------------------------------------------------------------------------

  void run(Instruction instruction) {
    switch (instruction) {
      case ConstantInstruction i -> constant(i.constantValue());
      case LoadInstruction i -> push(load(i.slot()));
      case StoreInstruction i -> store(i.slot(), pop());
      case IncrementInstruction i -> {
        Expr sum =
            KernelCode.binary(
                BinaryOp.ADD, number(load(i.slot())), KernelCode.constant(Type.I32, i.constant()));
        store(i.slot(), new Value.Num(sum));
      }
      case OperatorInstruction i -> operator(i.opcode());
      case ConvertInstruction i -> push(convert(i.toType(), popNumber()));
      case StackInstruction i ->
          new StackSteps(frame, this::pop, this::popSettled, this::push).run(i.opcode());
      case ArrayLoadInstruction i -> {
        Expr index = popNumber();
        Value array = pop();
        if (array instanceof Value.EnumConstants(var all)) {
          push(Enums.constant(all, code.once(index)));
        } else {
          push(heap.element(frame, array, i.typeKind(), index));
        }
      }
      case ArrayStoreInstruction _ -> {
        Expr value = popNumber();
        Expr index = popNumber();
        heap.setElement(frame, pop(), index, value);
      }
      case NewPrimitiveArrayInstruction i ->
          push(heap.array(frame, i.typeKind(), popNumber(), false));
      case NewObjectInstruction i -> push(heap.create(frame, i.className().asInternalName()));
      case FieldInstruction i -> field(i);
      case InvokeInstruction i -> invoke(i);
      case TypeCheckInstruction i -> check(i);
      case NopInstruction _ -> {}
      case NewMultiArrayInstruction _, NewReferenceArrayInstruction _ ->
          throw Refusal.at(
              frame,
              "makes an array of arrays or objects",
              "use one array of numbers, and compute the index");
      case MonitorInstruction _ ->
          throw Refusal.at(frame, "synchronizes on an object", "use a barrier or an atomic step");
      case InvokeDynamicInstruction i ->
          push(calls.dynamic().call(frame, i, List.of(popAll(i.typeSymbol().parameterCount()))));
      default -> throw Refusal.at(frame, "uses the instruction " + instruction.opcode());
    }
  }

  private void constant(ConstantDesc value) {
    push(value instanceof DynamicConstantDesc<?> ? new Value.Null() : Heap.lifted(value));
  }

  private Expr convert(TypeKind to, Expr x) {
    return switch (to) {
      case BYTE -> KernelCode.narrow(x, 8, true);
      case SHORT -> KernelCode.narrow(x, 16, true);
      case CHAR -> KernelCode.narrow(x, 16, false);
      case INT -> KernelCode.convert(Type.I32, x);
      case LONG -> KernelCode.convert(Type.I64, x);
      case FLOAT -> KernelCode.convert(Type.F32, x);
      case DOUBLE -> KernelCode.convert(Type.F64, x);
      default -> throw Refusal.at(frame, "converts to " + to);
    };
  }

  private void operator(Opcode opcode) {
    switch (opcode) {
      case IADD, LADD, FADD, DADD -> binary(BinaryOp.ADD);
      case ISUB, LSUB, FSUB, DSUB -> binary(BinaryOp.SUB);
      case IMUL, LMUL, FMUL, DMUL -> binary(BinaryOp.MUL);
      case IDIV, LDIV, FDIV, DDIV -> divide(BinaryOp.DIV);
      case IREM, LREM, FREM, DREM -> divide(BinaryOp.REM);
      case IAND, LAND -> binary(BinaryOp.AND);
      case IOR, LOR -> binary(BinaryOp.OR);
      case IXOR, LXOR -> binary(BinaryOp.XOR);
      case ISHL, LSHL -> shift(BinaryOp.SHL);
      case ISHR, LSHR -> shift(BinaryOp.SHR);
      case IUSHR, LUSHR -> shift(BinaryOp.USHR);
      case INEG, LNEG, FNEG, DNEG -> push(KernelCode.unary(UnaryOp.NEG, popNumber()));
      case LCMP -> compare(0);
      case FCMPL, DCMPL -> compare(-1);
      case FCMPG, DCMPG -> compare(1);
      case ARRAYLENGTH -> push(heap.length(frame, pop()));
      default -> throw Refusal.at(frame, "uses the instruction " + opcode);
    }
  }

  private void binary(BinaryOp op) {
    Expr y = popNumber();
    Expr x = popNumber();
    push(KernelCode.binary(op, x, y));
  }

  private void divide(BinaryOp op) {
    Expr y = popNumber();
    Expr x = popNumber();
    push(code.divide(op, x, y));
  }

  private void shift(BinaryOp op) {
    Expr count = popNumber();
    Expr x = popNumber();
    push(KernelCode.binary(op, x, KernelCode.convert(x.type(), count)));
  }

  private void compare(int nan) {
    Expr y = popNumber();
    Expr x = popNumber();
    push(new Value.Compared(x, y, nan));
  }

  /** Makes what is on top of the stack cheap to use twice. */
  private Value popSettled() {
    Value value = plain(pop());
    return value instanceof Value.Num(Expr e) && !(e instanceof Var)
        ? new Value.Num(code.once(e))
        : value;
  }

  private void field(FieldInstruction i) {
    String name = i.name().stringValue();
    switch (i.opcode()) {
      case GETSTATIC -> push(heap.constant(frame, i.owner().asInternalName(), name));
      case GETFIELD -> push(heap.field(frame, pop(), name));
      case PUTFIELD -> {
        Value value = plain(pop());
        heap.setField(frame, pop(), name, value);
      }
      default ->
          throw Refusal.at(
              frame, "changes the static field '" + name + "'", "write to an array instead");
    }
  }

  private Value[] popAll(int count) {
    Value[] arguments = new Value[count];
    for (int n = arguments.length - 1; n >= 0; n--) {
      arguments[n] = plain(pop());
    }
    return arguments;
  }

  private void invoke(InvokeInstruction i) {
    Value[] arguments = popAll(i.typeSymbol().parameterCount());
    Value receiver = i.opcode() == Opcode.INVOKESTATIC ? null : pop();
    Value result = calls.call(frame, i, receiver, arguments);
    if (i.typeSymbol().returnType().isPrimitive()
        && i.typeSymbol().returnType().descriptorString().equals("V")) {
      return;
    }
    push(requireNonNull(result, i.name().stringValue()));
  }

  private void check(TypeCheckInstruction i) {
    if (i.opcode() == Opcode.INSTANCEOF) {
      boolean is = calls.dynamic().isInstance(frame, pop(), i.type().asSymbol());
      push(is ? KernelCode.ONE : KernelCode.ZERO);
    }
  }

  /** The condition under which a branch is taken. */
  Expr condition(Opcode opcode) {
    return Conditions.of(opcode, frame, this::pop, this::number);
  }
}
