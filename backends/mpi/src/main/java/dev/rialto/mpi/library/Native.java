package dev.rialto.mpi.library;

import static dev.rialto.system.AddressSpace.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_INT_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_LONG_UNALIGNED;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Calls of native functions and access to native memory by address.
 *
 * <p>Every argument is a {@code long} on this side, whether the function takes a pointer, a handle
 * or an {@code int}: {@link #bind} adapts it. So one signature serves all libraries, and one method
 * per number of arguments serves all functions. The function's handle must come from a {@code
 * static final} field; then the compiler inlines all of this and a call costs what the bare
 * downcall does, about 12 ns.
 */
@SuppressWarnings("restricted") // Calling native code is what this class is for.
public final class Native {
  private static final Linker LINKER = Linker.nativeLinker();

  private Native() {}

  public static int getInt(long address) {
    return MEMORY.get(JAVA_INT_UNALIGNED, address);
  }

  public static long getLong(long address) {
    return MEMORY.get(JAVA_LONG_UNALIGNED, address);
  }

  public static void putInt(long address, int value) {
    MEMORY.set(JAVA_INT_UNALIGNED, address, value);
  }

  public static void putLong(long address, long value) {
    MEMORY.set(JAVA_LONG_UNALIGNED, address, value);
  }

  static String getString(long address) {
    return MEMORY.getString(address);
  }

  /** Returns the memory at an address as a segment that is never freed. */
  public static MemorySegment at(long address, long bytes) {
    return MemorySegment.ofAddress(address).reinterpret(bytes);
  }

  /** Returns the memory at an address as a segment that can be used as long as a scope lasts. */
  public static MemorySegment at(long address, long bytes, Arena scope) {
    return MemorySegment.ofAddress(address).reinterpret(bytes, scope, null);
  }

  /** Returns a symbol that every library of the kind has. */
  public static MemorySegment symbol(SymbolLookup symbols, String name) {
    return symbols
        .find(name)
        .orElseThrow(() -> new UnsatisfiedLinkError("the MPI library has no symbol " + name));
  }

  /**
   * Binds a function that returns an {@code int}.
   *
   * @param shape a letter for each parameter: {@code i} for an int, {@code h} for a handle, {@code
   *     p} for a pointer and {@code l} for another 64-bit integer
   */
  public static MethodHandle bind(MemorySegment function, String shape, ValueLayout handle) {
    MemoryLayout[] parameters = new MemoryLayout[shape.length()];
    Class<?>[] longs = new Class<?>[shape.length()];
    for (int i = 0; i < parameters.length; i++) {
      longs[i] = long.class;
      parameters[i] =
          switch (shape.charAt(i)) {
            case 'i' -> JAVA_INT;
            case 'h' -> handle;
            case 'p', 'l' -> JAVA_LONG;
            default -> throw new IllegalArgumentException("shape " + shape);
          };
    }
    return MethodHandles.explicitCastArguments(
        LINKER.downcallHandle(function, FunctionDescriptor.of(JAVA_INT, parameters)),
        MethodType.methodType(int.class, longs));
  }

  private static IllegalStateException broken(Throwable e) {
    return new IllegalStateException("a native call could not be made", e);
  }

  public static int call(MethodHandle function) {
    try {
      return (int) function.invokeExact();
    } catch (Throwable thrown) {
      throw broken(thrown);
    }
  }

  public static int call(MethodHandle function, long a) {
    try {
      return (int) function.invokeExact(a);
    } catch (Throwable thrown) {
      throw broken(thrown);
    }
  }

  public static int call(MethodHandle function, long a, long b) {
    try {
      return (int) function.invokeExact(a, b);
    } catch (Throwable thrown) {
      throw broken(thrown);
    }
  }

  public static int call(MethodHandle function, long a, long b, long c) {
    try {
      return (int) function.invokeExact(a, b, c);
    } catch (Throwable thrown) {
      throw broken(thrown);
    }
  }

  public static int call(MethodHandle function, long a, long b, long c, long d) {
    try {
      return (int) function.invokeExact(a, b, c, d);
    } catch (Throwable thrown) {
      throw broken(thrown);
    }
  }

  public static int call(MethodHandle function, long a, long b, long c, long d, long e) {
    try {
      return (int) function.invokeExact(a, b, c, d, e);
    } catch (Throwable thrown) {
      throw broken(thrown);
    }
  }

  public static int call(MethodHandle function, long a, long b, long c, long d, long e, long f) {
    try {
      return (int) function.invokeExact(a, b, c, d, e, f);
    } catch (Throwable thrown) {
      throw broken(thrown);
    }
  }

  public static int call(
      MethodHandle function, long a, long b, long c, long d, long e, long f, long g) {
    try {
      return (int) function.invokeExact(a, b, c, d, e, f, g);
    } catch (Throwable thrown) {
      throw broken(thrown);
    }
  }

  public static int call(
      MethodHandle function, long a, long b, long c, long d, long e, long f, long g, long h) {
    try {
      return (int) function.invokeExact(a, b, c, d, e, f, g, h);
    } catch (Throwable thrown) {
      throw broken(thrown);
    }
  }

  public static int call(
      MethodHandle function,
      long a,
      long b,
      long c,
      long d,
      long e,
      long f,
      long g,
      long h,
      long i) {
    try {
      return (int) function.invokeExact(a, b, c, d, e, f, g, h, i);
    } catch (Throwable thrown) {
      throw broken(thrown);
    }
  }

  public static int call(
      MethodHandle function,
      long a,
      long b,
      long c,
      long d,
      long e,
      long f,
      long g,
      long h,
      long i,
      long j) {
    try {
      return (int) function.invokeExact(a, b, c, d, e, f, g, h, i, j);
    } catch (Throwable thrown) {
      throw broken(thrown);
    }
  }

  public static int call(
      MethodHandle function,
      long a,
      long b,
      long c,
      long d,
      long e,
      long f,
      long g,
      long h,
      long i,
      long j,
      long k) {
    try {
      return (int) function.invokeExact(a, b, c, d, e, f, g, h, i, j, k);
    } catch (Throwable thrown) {
      throw broken(thrown);
    }
  }

  public static int call(
      MethodHandle function,
      long a,
      long b,
      long c,
      long d,
      long e,
      long f,
      long g,
      long h,
      long i,
      long j,
      long k,
      long l) {
    try {
      return (int) function.invokeExact(a, b, c, d, e, f, g, h, i, j, k, l);
    } catch (Throwable thrown) {
      throw broken(thrown);
    }
  }
}
