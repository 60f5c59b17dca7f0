package dev.rialto.jit.lift;

import dev.rialto.jit.kernel.BF16;
import dev.rialto.jit.kernel.F16;
import dev.rialto.jit.kernel.F32;
import dev.rialto.jit.kernel.F64;
import dev.rialto.jit.kernel.I16;
import dev.rialto.jit.kernel.I32;
import dev.rialto.jit.kernel.I64;
import dev.rialto.jit.kernel.I8;
import dev.rialto.jit.kernel.Integers;
import dev.rialto.jit.kernel.Reals;
import dev.rialto.jit.lift.Lifted.Argument;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.data.DType;
import java.lang.constant.ClassDesc;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The types that parameters of a kernel may have. */
final class ArgumentTypes {
  private static final Map<Class<?>, Argument> ARRAYS =
      Map.of(
          F64.class, Argument.F64,
          F32.class, Argument.F32,
          I64.class, Argument.I64,
          I32.class, Argument.I32,
          I16.class, Argument.I16,
          I8.class, Argument.I8,
          F16.class, Argument.F16,
          BF16.class, Argument.BF16);

  private static final Map<String, Argument> KINDS =
      Map.ofEntries(
          Map.entry("Z", Argument.INT),
          Map.entry("B", Argument.INT),
          Map.entry("S", Argument.INT),
          Map.entry("C", Argument.INT),
          Map.entry("I", Argument.INT),
          Map.entry("J", Argument.LONG),
          Map.entry("F", Argument.FLOAT),
          Map.entry("D", Argument.DOUBLE),
          Map.entry("Ljava/lang/Boolean;", Argument.INT),
          Map.entry("Ljava/lang/Byte;", Argument.INT),
          Map.entry("Ljava/lang/Short;", Argument.INT),
          Map.entry("Ljava/lang/Character;", Argument.INT),
          Map.entry("Ljava/lang/Integer;", Argument.INT),
          Map.entry("Ljava/lang/Long;", Argument.LONG),
          Map.entry("Ljava/lang/Float;", Argument.FLOAT),
          Map.entry("Ljava/lang/Double;", Argument.DOUBLE));

  private ArgumentTypes() {}

  /**
   * Returns what a parameter is.
   *
   * @param elements the type of arrays that the method leaves open; null if there are none
   */
  static Argument of(Frame frame, ClassDesc type, @Nullable DType elements) {
    if (isA(type, Reals.class)) {
      return general(frame, elements, DType.Kind.FLOAT);
    }
    if (isA(type, Integers.class)) {
      return general(frame, elements, DType.Kind.INTEGER);
    }
    Argument number = KINDS.get(type.descriptorString());
    if (number != null) {
      return number;
    }
    for (Map.Entry<Class<?>, Argument> entry : ARRAYS.entrySet()) {
      if (type.equals(entry.getKey().describeConstable().orElseThrow())) {
        return entry.getValue();
      }
    }
    throw Refusal.at(
        frame,
        "takes a parameter of type " + type.displayName(),
        "parameters are F64, F32, F16, BF16, I64, I32, I16, I8, Reals, Integers and numbers");
  }

  private static boolean isA(ClassDesc type, Class<?> known) {
    return type.equals(known.describeConstable().orElseThrow());
  }

  /** The type of an array that the method leaves open. */
  private static Argument general(Frame frame, @Nullable DType elements, DType.Kind kind) {
    for (Argument each : ARRAYS.values()) {
      if (elements != null && each.name().equals(elements.name()) && elements.kind() == kind) {
        return each;
      }
    }
    throw Refusal.at(
        frame,
        "takes an array of "
            + (kind == DType.Kind.FLOAT ? "Reals" : "Integers")
            + (elements == null ? "" : " made for " + elements),
        "name their type with JavaKernels.withElements: one of floating-point numbers, or of integers");
  }

  static Type type(Argument argument) {
    return switch (argument) {
      case LONG -> Type.I64;
      case FLOAT -> Type.F32;
      case DOUBLE -> Type.F64;
      default -> Type.I32;
    };
  }
}
