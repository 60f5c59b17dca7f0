package dev.rialto.jit.lift.classfile;

import java.lang.classfile.CodeElement;
import java.lang.classfile.CodeModel;
import java.lang.classfile.Instruction;
import java.lang.classfile.Opcode;
import java.lang.classfile.instruction.ArrayStoreInstruction;
import java.lang.classfile.instruction.ConstantInstruction;
import java.lang.classfile.instruction.FieldInstruction;
import java.lang.classfile.instruction.NewPrimitiveArrayInstruction;
import java.lang.classfile.instruction.StackInstruction;
import java.lang.reflect.Array;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads tables of numbers from the code that fills them: those of the JDK's functions, which its
 * module keeps to itself.
 */
public final class StaticTables {
  private StaticTables() {}

  /** Finds a static array of constants; empty if the field is none. */
  public static Optional<Object> read(ClassInfo type, String field) {
    return type.method("<clinit>", "()V").flatMap(m -> m.code()).flatMap(c -> read(c, field));
  }

  private static Optional<Object> read(CodeModel code, String field) {
    Deque<Object> constants = new ArrayDeque<>();
    Object array = null;
    for (CodeElement element : code) {
      switch (element) {
        case ConstantInstruction c when c.constantValue() instanceof Number number ->
            constants.addLast(number);
        case NewPrimitiveArrayInstruction made -> {
          array = made(made, constants.pollLast());
          constants.clear();
        }
        case StackInstruction s when s.opcode() == Opcode.DUP -> {}
        case ArrayStoreInstruction _ -> {
          Object value = constants.pollLast();
          Object index = constants.pollLast();
          if (array == null || value == null || index == null) {
            array = null;
          } else {
            set(array, (int) index, (Number) value);
          }
        }
        case FieldInstruction f
            when f.opcode() == Opcode.PUTSTATIC && f.name().equalsString(field) -> {
          return Optional.ofNullable(array);
        }
        case Instruction _ -> {
          array = null;
          constants.clear();
        }
        default -> {}
      }
    }
    return Optional.empty();
  }

  private static @Nullable Object made(NewPrimitiveArrayInstruction made, @Nullable Object length) {
    return length == null
        ? null
        : switch (made.typeKind()) {
          case DOUBLE -> new double[(int) length];
          case FLOAT -> new float[(int) length];
          case LONG -> new long[(int) length];
          case INT -> new int[(int) length];
          default -> null;
        };
  }

  private static void set(Object array, int index, Number value) {
    switch (array) {
      case double[] a -> a[index] = value.doubleValue();
      case float[] a -> a[index] = value.floatValue();
      case long[] a -> a[index] = value.longValue();
      default -> Array.setInt(array, index, value.intValue());
    }
  }
}
