package dev.rialto.natives;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.system.InstalledLibrary;
import dev.rialto.system.LibrarySearch;
import dev.rialto.system.OpenLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The functions of libgccjit, each called by its name. Every handle is an address; the library
 * checks them and keeps its first complaint, which {@link #firstError} tells.
 */
final class LibGccJit {
  /** Numbers of {@code enum gcc_jit_types}. */
  enum CType {
    VOID(0),
    VOID_POINTER(1),
    BOOL(2),
    SIGNED_CHAR(4),
    SHORT(6),
    INT(8),
    UNSIGNED_INT(9),
    LONG_LONG(12),
    UNSIGNED_LONG_LONG(13),
    FLOAT(14),
    DOUBLE(15);

    private final int number;

    CType(int number) {
      this.number = number;
    }
  }

  private static final Map<String, MethodHandle> HANDLES = new ConcurrentHashMap<>();

  private static final class Library {
    static final Optional<OpenLibrary> FOUND = LibrarySearch.open(InstalledLibrary.GCCJIT);
    static final @Nullable SymbolLookup SYMBOLS = FOUND.map(OpenLibrary::symbols).orElse(null);
  }

  private LibGccJit() {}

  /** Returns where it was found; empty if it was not. */
  static Optional<String> path() {
    return Library.FOUND.map(OpenLibrary::path);
  }

  /** Returns the version, such as {@code 12.2.0}; releases before 13's interface do not tell. */
  static String version() {
    SymbolLookup symbols = Library.SYMBOLS;
    if (symbols == null || symbols.find("gcc_jit_version_major").isEmpty()) {
      return "unknown";
    }
    return String.join(
        ".",
        Stream.of("version_major", "version_minor", "version_patchlevel")
            .map(part -> invoke(part, JAVA_INT).toString())
            .toList());
  }

  /** Calls a function that returns an address. Arguments are addresses, ints, longs, doubles. */
  static MemorySegment call(String name, Object... arguments) {
    return (MemorySegment) invoke(name, ADDRESS, arguments);
  }

  /** Calls a function that returns nothing. */
  static void run(String name, Object... arguments) {
    invoke(name, null, arguments);
  }

  private static Object invoke(String name, @Nullable MemoryLayout result, Object... arguments) {
    MethodHandle handle =
        HANDLES.computeIfAbsent("gcc_jit_" + name, n -> bind(n, result, arguments));
    try {
      return handle.invokeWithArguments(arguments);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) {
      throw new AssertionError("native code throws nothing", e);
    }
  }

  @SuppressWarnings("restricted")
  private static MethodHandle bind(
      String name, @Nullable MemoryLayout result, Object... arguments) {
    MemoryLayout[] layouts = new MemoryLayout[arguments.length];
    for (int i = 0; i < layouts.length; i++) {
      layouts[i] =
          switch (arguments[i]) {
            case MemorySegment _ -> ADDRESS;
            case Integer _ -> JAVA_INT;
            case Long _ -> JAVA_LONG;
            case Double _ -> JAVA_DOUBLE;
            case Boolean _ -> JAVA_BOOLEAN;
            default -> throw new IllegalArgumentException(name + " of " + arguments[i]);
          };
    }
    FunctionDescriptor type =
        result == null
            ? FunctionDescriptor.ofVoid(layouts)
            : FunctionDescriptor.of(result, layouts);
    SymbolLookup symbols = Library.SYMBOLS;
    if (symbols == null) {
      throw new IllegalStateException("libgccjit is not installed");
    }
    return Linker.nativeLinker().downcallHandle(symbols.findOrThrow(name), type);
  }

  static MemorySegment type(MemorySegment context, CType type) {
    return call("context_get_type", context, type.number);
  }

  /** Passes a list of handles as C does: a number and an array. */
  static MemorySegment array(Arena arena, List<MemorySegment> handles) {
    MemorySegment array = arena.allocate(ADDRESS, Math.max(1, handles.size()));
    for (int i = 0; i < handles.size(); i++) {
      array.setAtIndex(ADDRESS, i, handles.get(i));
    }
    return array;
  }

  @SuppressWarnings("restricted")
  static Optional<String> firstError(MemorySegment context) {
    MemorySegment text = call("context_get_first_error", context);
    return text.address() == 0
        ? Optional.empty()
        : Optional.of(text.reinterpret(Long.MAX_VALUE).getString(0));
  }
}
