package dev.rialto.jit.lift;

import dev.rialto.jit.kernel.Integers;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.Reals;
import dev.rialto.jit.lift.Lifted.Argument;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.data.DType;
import java.lang.constant.ClassDesc;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The types that parameters of a kernel may have. */
final class ArgumentTypes {
  private static final Set<Argument> ARRAYS = EnumSet.range(Argument.I8, Argument.F64);
  private static final String KERNELS = "L" + Intrinsics.name(Item.class).replace("Item", "");

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
    Argument known =
        switch (type.descriptorString()) {
          case "Z", "B", "S", "C", "I" -> Argument.INT;
          case "Ljava/lang/Boolean;", "Ljava/lang/Byte;", "Ljava/lang/Short;" -> Argument.INT;
          case "Ljava/lang/Character;", "Ljava/lang/Integer;" -> Argument.INT;
          case "J", "Ljava/lang/Long;" -> Argument.LONG;
          case "F", "Ljava/lang/Float;" -> Argument.FLOAT;
          case "D", "Ljava/lang/Double;" -> Argument.DOUBLE;
          default -> array(name -> type.descriptorString().equals(KERNELS + name + ";"));
        };
    if (known != null) {
      return known;
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
    Argument array =
        elements == null || elements.kind() != kind ? null : array(elements.name()::equals);
    if (array != null) {
      return array;
    }
    throw Refusal.at(
        frame,
        "takes an array of "
            + (kind == DType.Kind.FLOAT ? "Reals" : "Integers")
            + (elements == null ? "" : " made for " + elements),
        "name their type with JavaKernels.withElements: one of floating-point numbers, or of integers");
  }

  private static @Nullable Argument array(Predicate<String> name) {
    return ARRAYS.stream().filter(each -> name.test(each.name())).findFirst().orElse(null);
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
