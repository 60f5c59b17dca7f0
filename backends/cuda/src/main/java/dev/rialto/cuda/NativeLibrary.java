package dev.rialto.cuda;

import dev.rialto.spi.error.BackendException;
import dev.rialto.spi.system.InstalledLibrary;
import dev.rialto.spi.system.LibrarySearch;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.util.Optional;

/**
 * A shared library that stays open, and its functions.
 *
 * <p>A function that the library lacks is no error until it is called: an older driver then serves
 * everything that does not need it.
 *
 * @param name as its file is usually called
 * @param path where it was found
 * @param symbols its functions
 */
record NativeLibrary(String name, String path, SymbolLookup symbols) {
  /** Opens a library that is installed. */
  static Optional<NativeLibrary> find(InstalledLibrary library) {
    return LibrarySearch.open(library)
        .map(found -> new NativeLibrary(nameOf(library), found.path(), found.symbols()));
  }

  /** Returns the usual file name of a library on this system. */
  static String nameOf(InstalledLibrary library) {
    return LibrarySearch.here().name(library);
  }

  /** Returns a function, or one that says it is missing when it is called. */
  @SuppressWarnings("restricted")
  MethodHandle function(String symbol, FunctionDescriptor type, Linker.Option... options) {
    return symbols
        .find(symbol)
        .map(address -> Linker.nativeLinker().downcallHandle(address, type, options))
        .orElseGet(() -> missing(symbol, type));
  }

  private MethodHandle missing(String symbol, FunctionDescriptor type) {
    BackendException absent =
        new BackendException(
            path + " has no function " + symbol, name, "install a newer version of it", null);
    MethodHandle thrower =
        MethodHandles.throwException(type.toMethodType().returnType(), BackendException.class)
            .bindTo(absent);
    return MethodHandles.dropArguments(thrower, 0, type.toMethodType().parameterList());
  }
}
