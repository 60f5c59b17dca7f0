package dev.rialto.jit.lift;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.lift.classfile.ClassFiles;
import dev.rialto.jit.lift.classfile.ClassInfo;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Type;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Constants of enums: one that is known when the kernel is made decides then, one that only data
 * chooses is its ordinal number.
 */
final class Enums {
  private Enums() {}

  /** All constants of the enum that one belongs to. */
  static List<? extends Enum<?>> all(Enum<?> one) {
    return all(one.getDeclaringClass());
  }

  static List<? extends Enum<?>> all(Class<?> type) {
    return Arrays.stream(requireNonNull(type.getEnumConstants()))
        .<Enum<?>>map(each -> (Enum<?>) each)
        .toList();
  }

  /** Returns the enum that a value is a constant of; null if it is none. */
  static @Nullable List<? extends Enum<?>> of(Value value) {
    return switch (value) {
      case Value.Constant(Object object) when object instanceof Enum<?> one -> all(one);
      case Value.EnumRef one -> one.constants();
      default -> null;
    };
  }

  @SuppressWarnings("GetClassOnEnum") // those have a class of their own
  static boolean haveOneClass(List<? extends Enum<?>> constants) {
    return constants.stream().allMatch(each -> each.getClass() == each.getDeclaringClass());
  }

  /** Returns the ordinal number of a constant. */
  @SuppressWarnings("EnumOrdinal") // it is what chooses among them
  static Expr ordinal(Value value) {
    return switch (value) {
      case Value.Constant(Object object) when object instanceof Enum<?> one ->
          KernelCode.constant(Type.I32, one.ordinal());
      case Value.EnumRef one -> one.ordinal();
      default -> throw new IllegalArgumentException(value + " is no constant of an enum");
    };
  }

  static Value constant(List<? extends Enum<?>> constants, Expr ordinal) {
    return ordinal instanceof Const c && c.bits() >= 0 && c.bits() < constants.size()
        ? new Value.Constant(constants.get((int) c.bits()))
        : new Value.EnumRef(constants, ordinal);
  }

  static Expr number(KernelCode code, Expr ordinal, IntUnaryOperator numbers, int count) {
    Expr which = code.once(ordinal);
    Expr result = KernelCode.constant(Type.I32, numbers.applyAsInt(count - 1));
    for (int i = count - 2; i >= 0; i--) {
      result =
          KernelCode.select(
              isThat(which, i), KernelCode.constant(Type.I32, numbers.applyAsInt(i)), result);
    }
    return result;
  }

  /** Returns the field of a constant, a number. */
  static Value field(
      KernelCode code, Value.EnumRef one, Function<Enum<?>, Value> fields, Frame frame) {
    Expr which = code.once(one.ordinal());
    Expr result = null;
    for (int i = one.constants().size() - 1; i >= 0; i--) {
      if (!(fields.apply(one.constants().get(i)) instanceof Value.Num(Expr number))) {
        throw Refusal.at(
            frame, "reads an object of a constant that only a launch knows", "use numbers");
      }
      result = result == null ? number : KernelCode.select(isThat(which, i), number, result);
    }
    return new Value.Num(requireNonNull(result));
  }

  private static Expr isThat(Expr ordinal, int number) {
    return KernelCode.binary(BinaryOp.EQ, ordinal, KernelCode.constant(Type.I32, number));
  }

  /**
   * Reads the table by which a switch numbers the constants of an enum from the code that fills it:
   * a class of the compiler's own holds it, which reflection may not look into.
   */
  static Value.EnumTable table(ClassInfo type, String table, ClassFiles files) {
    Map<String, Integer> numbers = new HashMap<>();
    String owner = "";
    String filled = "";
    String constant = "";
    int number = 0;
    for (CodeElement element :
        type.method("<clinit>", "()V").flatMap(m -> m.code()).orElseThrow()) {
      switch (element) {
        case FieldInstruction f
            when f.opcode() == Opcode.GETSTATIC
                && f.name().stringValue().startsWith("$SwitchMap$") ->
            filled = f.name().stringValue();
        case FieldInstruction f when f.opcode() == Opcode.GETSTATIC -> {
          constant = f.name().stringValue();
          if (filled.equals(table)) {
            owner = f.owner().asInternalName();
          }
        }
        case ConstantInstruction c when c.constantValue() instanceof Integer i -> number = i;
        case ArrayStoreInstruction _ -> {
          if (filled.equals(table)) {
            numbers.put(constant, number);
          }
        }
        default -> {}
      }
    }
    try {
      Object[] all = files.load(owner).getEnumConstants();
      int[] byOrdinal = new int[all == null ? 0 : all.length];
      for (int i = 0; i < byOrdinal.length; i++) {
        byOrdinal[i] = numbers.getOrDefault(((Enum<?>) all[i]).name(), 0);
      }
      return new Value.EnumTable(byOrdinal);
    } catch (ClassNotFoundException e) {
      throw Refusal.at(null, "switches on an enum that is not found: " + e.getMessage());
    }
  }
}
