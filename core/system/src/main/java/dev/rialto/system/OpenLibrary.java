package dev.rialto.system;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

/**
 * A library that is loaded into this process, for as long as it lives.
 *
 * @param path its file, or the name under which the system's loader found it
 * @param symbols its functions and variables
 */
public record OpenLibrary(String path, SymbolLookup symbols) {
  /**
   * Returns a function, or one that throws when it is called if the library lacks it: an older
   * library then serves everything that does not need it.
   */
  @SuppressWarnings("restricted") // Calling native libraries is what this class is for.
  public MethodHandle function(String symbol, FunctionDescriptor type, Linker.Option... options) {
    return symbols
        .find(symbol)
        .map(address -> Linker.nativeLinker().downcallHandle(address, type, options))
        .orElseGet(() -> missing(symbol, type));
  }

  private MethodHandle missing(String symbol, FunctionDescriptor type) {
    UnsupportedOperationException absent =
        new UnsupportedOperationException(
            path + " has no function " + symbol + "; install a newer version of it");
    MethodHandle thrower =
        MethodHandles.throwException(
                type.toMethodType().returnType(), UnsupportedOperationException.class)
            .bindTo(absent);
    return MethodHandles.dropArguments(thrower, 0, type.toMethodType().parameterList());
  }
}
