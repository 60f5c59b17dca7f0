package dev.rialto.system;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Classes without a name, which go when nothing refers to them.
 *
 * <p>A loop whose type or operation is a field asks at every element which one it is. Copies of one
 * class, each with its own data, have them as constants.
 */
public final class HiddenClasses {
  private HiddenClasses() {}

  /** Returns the class file of a class that is in the same jar as those who use it. */
  public static byte[] code(Class<?> template) {
    String file = template.getName().substring(template.getPackageName().length() + 1) + ".class";
    try (InputStream in = template.getResourceAsStream(file)) {
      if (in == null) {
        throw new IllegalStateException(file + " is missing from its jar");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Makes a hidden class and returns a constructor of it.
   *
   * @param lookup of a class in the package of the hidden one
   * @param type the constructor's parameters, and what it returns
   * @throws ReflectiveOperationException if there is no such constructor
   */
  public static MethodHandle constructor(MethodHandles.Lookup lookup, byte[] code, MethodType type)
      throws ReflectiveOperationException {
    MethodHandles.Lookup hidden = lookup.defineHiddenClass(code, true);
    return hidden
        .findConstructor(hidden.lookupClass(), type.changeReturnType(void.class))
        .asType(type);
  }

  /**
   * Makes an object of a new hidden class by its constructor without parameters.
   *
   * @param lookup of a class in the package of the hidden one
   * @param data what {@link MethodHandles#classData} gives the class
   * @throws IllegalStateException if the class cannot be made
   */
  public static <T> T make(MethodHandles.Lookup lookup, byte[] code, Object data, Class<T> kind) {
    try {
      MethodHandles.Lookup hidden = lookup.defineHiddenClassWithClassData(code, data, true);
      MethodType plain = MethodType.methodType(void.class);
      return kind.cast(hidden.findConstructor(hidden.lookupClass(), plain).invoke());
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new IllegalStateException("no " + kind.getSimpleName() + " made for " + data, e);
    }
  }
}
