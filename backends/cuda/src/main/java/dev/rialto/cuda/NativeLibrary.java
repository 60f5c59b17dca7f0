package dev.rialto.cuda;

import dev.rialto.spi.error.BackendException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A shared library that stays open, and its functions.
 *
 * <p>A function that the library lacks is no error until it is called: an older driver then serves
 * everything that does not need it.
 *
 * @param name as its file is called, up to {@code .so}
 * @param path where it was found
 * @param symbols its functions
 */
record NativeLibrary(String name, String path, SymbolLookup symbols) {
  /** Folders below the one of a toolkit. */
  private static final List<String> BELOW =
      List.of("lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib");

  private static final List<String> USUAL =
      List.of(
          "/usr/local/nvidia/lib64",
          "/usr/local/nvidia/lib",
          "/usr/lib/x86_64-linux-gnu",
          "/usr/lib/aarch64-linux-gnu",
          "/usr/lib64",
          "/usr/lib/wsl/lib",
          "/opt/cuda/lib64");

  /** Opens a library from the first folder that holds one that can be opened, newest first. */
  static Optional<NativeLibrary> find(String name) {
    return find(name, folders(System.getenv("RIALTO_CUDA_HOME")));
  }

  static Optional<NativeLibrary> find(String name, Collection<Path> folders) {
    for (Path folder : folders) {
      for (Path file : files(folder, name)) {
        Optional<NativeLibrary> library = open(name, file.toString());
        if (library.isPresent()) {
          return library;
        }
      }
    }
    return open(name, name + ".so")
        .or(() -> open(name, name + ".so.1"))
        .or(() -> open(name, name + ".so.2"));
  }

  /** Returns where libraries are looked for: the given home first, then the usual places. */
  static Set<Path> folders(@Nullable String home) {
    Set<Path> folders = new LinkedHashSet<>();
    if (home != null && !home.isEmpty()) {
      folders.add(Path.of(home));
      below(Path.of(home), folders);
    }
    for (String variable : List.of("CUDA_HOME", "CUDA_PATH")) {
      String value = System.getenv(variable);
      if (value != null && !value.isEmpty()) {
        below(Path.of(value), folders);
      }
    }
    String searched = System.getenv("LD_LIBRARY_PATH");
    if (searched != null) {
      for (String folder : searched.split(":", -1)) {
        if (!folder.isEmpty()) {
          folders.add(Path.of(folder));
        }
      }
    }
    below(Path.of("/usr/local/cuda"), folders);
    USUAL.forEach(folder -> folders.add(Path.of(folder)));
    return folders;
  }

  private static void below(Path home, Set<Path> folders) {
    BELOW.forEach(folder -> folders.add(home.resolve(folder)));
  }

  /** Returns the files of a library in a folder, the plain name first, then the highest version. */
  static List<Path> files(Path folder, String name) {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    List<Path> files = new ArrayList<>();
    try (var found = Files.newDirectoryStream(folder, name + ".so*")) {
      found.forEach(files::add);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot list " + folder, e);
    }
    files.sort(
        (a, b) -> {
          boolean plain = a.toString().endsWith(".so");
          return plain || b.toString().endsWith(".so")
              ? Boolean.compare(!plain, !b.toString().endsWith(".so"))
              : b.compareTo(a);
        });
    return files;
  }

  @SuppressWarnings("restricted")
  private static Optional<NativeLibrary> open(String name, String path) {
    try {
      SymbolLookup symbols =
          path.startsWith("/")
              ? SymbolLookup.libraryLookup(Path.of(path), Arena.global())
              : SymbolLookup.libraryLookup(path, Arena.global());
      return Optional.of(new NativeLibrary(name, path, symbols));
    } catch (IllegalArgumentException e) {
      // Not there, or for another processor: the next place may have it.
      return Optional.empty();
    }
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
