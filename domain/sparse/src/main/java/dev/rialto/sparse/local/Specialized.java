package dev.rialto.sparse.local;

import static java.util.Objects.requireNonNull;

import dev.rialto.spi.data.DType;
import dev.rialto.system.HiddenClasses;
import java.lang.invoke.MethodHandles;

/** Makes a copy of a class of loops for one element type. */
final class Specialized {
  private Specialized() {}

  /** Makes a copy of {@code template}; it finds its type with {@link #type}. */
  static <T> T of(
      MethodHandles.Lookup lookup, Class<T> kind, Class<? extends T> template, DType type) {
    return HiddenClasses.make(lookup, HiddenClasses.code(template), type, kind);
  }

  static DType type(MethodHandles.Lookup lookup) {
    try {
      return requireNonNull(
          MethodHandles.classData(lookup, "_", DType.class), "only copies of a template run");
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Says no to types that are not numbers a solver works with. */
  static DType checked(DType type) {
    if (!Numbers.isComplex(type) && type != DType.F64 && type != DType.F32) {
      throw new IllegalArgumentException(
          type + " has no linear algebra here; choose F32, F64, C64 or C128");
    }
    return type;
  }
}
