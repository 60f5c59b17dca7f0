package dev.rialto.mpi.library;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.system.OperatingSystem;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * An MPI library in this process.
 *
 * @param library its kind
 * @param path the file it came from, as it was asked for
 * @param symbols its symbols
 * @param version what it says of itself, one line
 */
@SuppressWarnings("restricted") // Loading a native library is what this class is for.
public record LoadedLibrary(MpiLibrary library, String path, SymbolLookup symbols, String version) {
  private static final int RTLD_NOW = 2;
  private static final int RTLD_GLOBAL =
      OperatingSystem.current() == OperatingSystem.MACOS ? 0x8 : 0x100;
  private static final int LONGEST_VERSION = 8192;

  /**
   * Loads a library, if its file is found and is of that kind. Its symbols become global: Open
   * MPI's plugins look for them there, so {@link SymbolLookup#libraryLookup} alone, which keeps
   * them private, won't do.
   */
  static Optional<LoadedLibrary> load(MpiLibrary library, String file) {
    if (file.contains("/") && !Files.isReadable(Path.of(file))) {
      return Optional.empty();
    }
    // Before loading: UCX, which comes with the library, takes its signals at once.
    library.settings().forEach(LoadedLibrary::setUnlessSet);
    Linker linker = Linker.nativeLinker();
    MethodHandle dlopen =
        linker.downcallHandle(
            Native.symbol(linker.defaultLookup(), "dlopen"),
            FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_INT));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment name = arena.allocateFrom(file);
      if ((long) dlopen.invokeExact(name.address(), RTLD_NOW | RTLD_GLOBAL) == 0) {
        return Optional.empty();
      }
      SymbolLookup symbols = SymbolLookup.libraryLookup(file, Arena.global());
      return library.genuine().test(symbols)
          ? Optional.of(new LoadedLibrary(library, file, symbols, version(symbols, arena)))
          : Optional.empty();
    } catch (Throwable e) {
      throw new IllegalStateException("cannot load " + file, e);
    }
  }

  /** Returns the number of the version alone, as far as the library tells it. */
  public String number() {
    return version.replaceFirst("^\\D*(?=\\d)", "");
  }

  private static void setUnlessSet(String name, String value) {
    Linker linker = Linker.nativeLinker();
    MethodHandle setenv =
        Native.bind(Native.symbol(linker.defaultLookup(), "setenv"), "ppi", JAVA_LONG);
    try (Arena arena = Arena.ofConfined()) {
      Native.call(
          setenv, arena.allocateFrom(name).address(), arena.allocateFrom(value).address(), 0);
    }
  }

  private static String version(SymbolLookup symbols, Arena arena) {
    MethodHandle get =
        Native.bind(Native.symbol(symbols, "MPI_Get_library_version"), "pp", JAVA_LONG);
    MemorySegment text = arena.allocate(LONGEST_VERSION);
    MemorySegment length = arena.allocate(JAVA_INT);
    Native.call(get, text.address(), length.address());
    String said = text.getString(0);
    // Open MPI goes on with where it was built; MPICH has a line for each thing it has to say.
    return said.lines().findFirst().orElse("").replaceFirst(",.*", "").replaceAll("\\s+", " ");
  }
}
