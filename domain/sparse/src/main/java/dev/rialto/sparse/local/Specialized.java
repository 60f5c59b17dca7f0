package dev.rialto.sparse.local;

import static java.util.Objects.requireNonNull;

import dev.rialto.spi.data.DType;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;

/**
 * Makes a copy of a class of loops for one element type.
 *
 * <p>A loop whose type is a field or an argument asks at every element which type it is. Here each
 * type has a class of its own, made from one source, in which the type is a constant: four types,
 * one loop to read, and none of them pays for the others.
 */
final class Specialized {
  private Specialized() {}

  /** Makes a copy of {@code template}; it finds its type with {@link #type}. */
  static <T> T of(
      MethodHandles.Lookup lookup, Class<T> kind, Class<? extends T> template, DType type) {
    String name = template.getSimpleName() + ".class";
    try (InputStream stream = template.getResourceAsStream(name)) {
      byte[] code = requireNonNull(stream, name + " is missing from its jar").readAllBytes();
      Class<?> copy = lookup.defineHiddenClassWithClassData(code, type, true).lookupClass();
      return kind.cast(copy.getDeclaredConstructor().newInstance());
    } catch (IOException | ReflectiveOperationException e) {
      throw new IllegalStateException("no loops of " + name + " could be made for " + type, e);
    }
  }

  /** Returns the type of the copy that calls. */
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
