package dev.rialto.sparse.local;

import static java.util.Objects.requireNonNull;

import dev.rialto.spi.data.DType;
import dev.rialto.system.HiddenClasses;
import java.lang.invoke.MethodHandles;
import java.util.EnumMap;
import java.util.Map;

/** Makes copies of a class of loops, one for each element type. */
final class Specialized {
  private Specialized() {}

  /** Makes copies of {@code template}, which find their types with {@link #type}. */
  static <T> Map<DType, T> forEach(
      MethodHandles.Lookup lookup, Class<T> kind, Class<? extends T> template) {
    byte[] code = HiddenClasses.code(template);
    Map<DType, T> copies = new EnumMap<>(DType.class);
    for (DType type : new DType[] {DType.F32, DType.F64, DType.C64, DType.C128}) {
      copies.put(type, HiddenClasses.make(lookup, code, type, kind));
    }
    return copies;
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
