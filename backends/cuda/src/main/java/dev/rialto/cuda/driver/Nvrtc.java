package dev.rialto.cuda.driver;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.spi.error.BackendException;
import dev.rialto.spi.error.CompilationException;
import dev.rialto.system.DeepStack;
import dev.rialto.system.InstalledLibrary;
import dev.rialto.system.LibrarySearch;
import dev.rialto.system.OpenLibrary;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** NVIDIA's compiler as a library: CUDA C++ in, machine code of one architecture out. */
public final class Nvrtc {
  private static final class Found {
    static final Optional<Nvrtc> COMPILER =
        LibrarySearch.open(InstalledLibrary.NVRTC).map(Nvrtc::new);
  }

  private final String path;
  private final String version;
  private final int major;
  private final MethodHandle create;
  private final MethodHandle destroy;
  private final MethodHandle compile;
  private final MethodHandle logSize;
  private final MethodHandle log;
  private final MethodHandle codeSize;
  private final MethodHandle code;
  private final MethodHandle errorString;

  private Nvrtc(OpenLibrary library) {
    this.path = library.path();
    this.create =
        function(
            library, "nvrtcCreateProgram", ADDRESS, ADDRESS, ADDRESS, JAVA_INT, ADDRESS, ADDRESS);
    this.destroy = function(library, "nvrtcDestroyProgram", ADDRESS);
    this.compile = function(library, "nvrtcCompileProgram", ADDRESS, JAVA_INT, ADDRESS);
    this.logSize = function(library, "nvrtcGetProgramLogSize", ADDRESS, ADDRESS);
    this.log = function(library, "nvrtcGetProgramLog", ADDRESS, ADDRESS);
    this.codeSize = function(library, "nvrtcGetCUBINSize", ADDRESS, ADDRESS);
    this.code = function(library, "nvrtcGetCUBIN", ADDRESS, ADDRESS);
    this.errorString =
        library.function("nvrtcGetErrorString", FunctionDescriptor.of(ADDRESS, JAVA_INT));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment numbers = arena.allocate(JAVA_INT, 2);
      MethodHandle ask = function(library, "nvrtcVersion", ADDRESS, ADDRESS);
      check((int) ask.invokeExact(numbers, numbers.asSlice(Integer.BYTES)), "asking its version");
      this.major = numbers.getAtIndex(JAVA_INT, 0);
      this.version = major + "." + numbers.getAtIndex(JAVA_INT, 1);
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  private static MethodHandle function(
      OpenLibrary library, String name, MemoryLayout... parameters) {
    return library.function(name, FunctionDescriptor.of(JAVA_INT, parameters));
  }

  /** Returns the compiler that is installed, if one is. */
  public static Optional<Nvrtc> find() {
    return Found.COMPILER;
  }

  public static Nvrtc require() {
    return find()
        .orElseThrow(
            () ->
                new BackendException(
                    LibrarySearch.here().name(InstalledLibrary.NVRTC) + " not found",
                    "cuda",
                    "install the CUDA toolkit, or name its folder with RIALTO_CUDA_HOME",
                    null));
  }

  public String path() {
    return path;
  }

  public String version() {
    return version;
  }

  public int major() {
    return major;
  }

  /**
   * Compiles a program to machine code.
   *
   * @param name for messages
   * @throws CompilationException with the compiler's own words
   */
  @SuppressWarnings("restricted")
  public byte[] compile(String name, String source, List<String> options) {
    return DeepStack.call("nvrtc", () -> compileHere(name, source, options));
  }

  private byte[] compileHere(String name, String source, List<String> options) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment holder = arena.allocate(ADDRESS);
      check(
          (int)
              create.invokeExact(
                  holder,
                  arena.allocateFrom(source),
                  arena.allocateFrom(name + ".cu"),
                  0,
                  MemorySegment.NULL,
                  MemorySegment.NULL),
          "taking the source of " + name);
      MemorySegment program = holder.get(ADDRESS, 0);
      try {
        MemorySegment list = arena.allocate(ADDRESS, Math.max(1, options.size()));
        for (int i = 0; i < options.size(); i++) {
          list.setAtIndex(ADDRESS, i, arena.allocateFrom(options.get(i)));
        }
        int result = (int) compile.invokeExact(program, options.size(), list);
        if (result != 0) {
          throw new CompilationException(
              "kernel "
                  + name
                  + " does not compile ("
                  + text(result)
                  + "):\n"
                  + new String(bytes(arena, program, logSize, log), StandardCharsets.UTF_8).strip(),
              "nvrtc " + version,
              "",
              null);
        }
        return bytes(arena, program, codeSize, code);
      } finally {
        check((int) destroy.invokeExact(holder), "giving a program back");
      }
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  private byte[] bytes(Arena arena, MemorySegment program, MethodHandle size, MethodHandle get)
      throws Throwable {
    MemorySegment count = arena.allocate(JAVA_LONG);
    check((int) size.invokeExact(program, count), "asking for a size");
    MemorySegment bytes = arena.allocate(Math.max(1, count.get(JAVA_LONG, 0)));
    check((int) get.invokeExact(program, bytes), "reading a result");
    return bytes.asSlice(0, count.get(JAVA_LONG, 0)).toArray(JAVA_BYTE);
  }

  private void check(int result, String what) {
    if (result != 0) {
      throw new CompilationException(
          what + " failed: " + text(result), "nvrtc at " + path, "", null);
    }
  }

  @SuppressWarnings("restricted")
  private String text(int result) {
    try {
      MemorySegment words = (MemorySegment) errorString.invokeExact(result);
      return words.reinterpret(1024).getString(0);
    } catch (Throwable e) {
      throw unchecked(e);
    }
  }

  private static RuntimeException unchecked(Throwable e) {
    return switch (e) {
      case RuntimeException known -> known;
      case Error error -> throw error;
      default -> new IllegalStateException("native code throws nothing", e);
    };
  }
}
