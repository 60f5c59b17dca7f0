package dev.rialto.jit.lift;

import dev.rialto.jit.lift.classfile.ClassFiles;
import dev.rialto.jit.lift.classfile.ClassInfo;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Type;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.DynamicConstantDesc;
import java.util.List;
import java.util.Set;

/**
 * Calls that Java makes when they are first run: functions that a kernel makes, and switches on the
 * class of an object, which is known.
 */
final class DynamicCalls {
  /** Types of numbers whose patterns fit all of them, and what numbers are in registers. */
  private static final Set<String> PRIMITIVES = Set.of("DF64", "FF32", "JI64", "II32");

  private final ClassFiles files;

  DynamicCalls(ClassFiles files) {
    this.files = files;
  }

  Value call(Frame frame, InvokeDynamicInstruction call, List<Value> arguments) {
    String maker = call.bootstrapMethod().owner().displayName();
    String name = call.name().stringValue();
    List<ConstantDesc> given = call.bootstrapArgs();
    if (maker.equals("LambdaMetafactory")
        && given.size() > 1
        && given.get(1) instanceof DirectMethodHandleDesc method) {
      return new Value.Function(name, method, arguments);
    }
    if (maker.equals("SwitchBootstraps") && name.equals("typeSwitch")) {
      return new Value.Num(chosen(frame, arguments.getFirst(), arguments.getLast(), given));
    }
    throw Refusal.at(
        frame,
        name.equals("makeConcatWithConstants") ? "makes text" : "uses a pattern (" + name + ")");
  }

  /** The number of the first label from a number on that an object fits, or how many there are. */
  private Expr chosen(Frame frame, Value object, Value from, List<ConstantDesc> labels) {
    if (!(from instanceof Value.Num(Expr begin))) {
      throw Refusal.at(frame, "switches on something that is no object");
    }
    if (object instanceof Value.Null) {
      return KernelCode.constant(Type.I32, -1);
    }
    Expr result = KernelCode.constant(Type.I32, labels.size());
    for (int i = labels.size() - 1; i >= 0; i--) {
      if (fits(frame, object, labels.get(i))) {
        Expr label = KernelCode.constant(Type.I32, i);
        result = KernelCode.select(KernelCode.binary(BinaryOp.LE, begin, label), label, result);
      }
    }
    return result;
  }

  /** Returns whether a value fits a label: its class, or for a number its type. */
  private boolean fits(Frame frame, Value value, ConstantDesc label) {
    return switch (label) {
      case ClassDesc type -> isInstance(frame, value, type);
      case DynamicConstantDesc<?> type
          when value instanceof Value.Num(Expr number)
              && PRIMITIVES.contains(type.constantName() + number.type().kind()) ->
          true;
      default -> throw Refusal.at(frame, "switches on values and classes at once", "use if");
    };
  }

  boolean isInstance(Frame frame, Value object, ClassDesc type) {
    String name = type.descriptorString();
    String wanted = name.startsWith("L") ? name.substring(1, name.length() - 1) : name;
    return switch (object) {
      case Value.Null _ -> false;
      case Value.Taken taken -> is(taken.type, wanted);
      case Value.EnumRef one -> is(frame, one.constants().getFirst().getDeclaringClass(), wanted);
      case Value.Constant(Object known) -> is(frame, known.getClass(), wanted);
      default -> throw Refusal.at(frame, "asks for the class of an object that is not known");
    };
  }

  private boolean is(Frame frame, Class<?> known, String wanted) {
    try {
      return files.load(wanted).isAssignableFrom(known);
    } catch (ClassNotFoundException e) {
      throw Refusal.at(frame, "asks for the class " + wanted + ", which is not found");
    }
  }

  private boolean is(ClassInfo known, String wanted) {
    if (wanted.equals("java/lang/Object")
        || known.internalName().equals(wanted)
        || known.model().superclass().filter(c -> c.asInternalName().equals(wanted)).isPresent()) {
      return true;
    }
    return (known.parent() != null && is(known.parent(), wanted))
        || known.model().interfaces().stream()
            .anyMatch(
                face ->
                    face.asInternalName().equals(wanted)
                        || files
                            .find(face.asInternalName())
                            .filter(found -> is(found, wanted))
                            .isPresent());
  }
}
