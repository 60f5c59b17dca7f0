package dev.rialto.natives;

import dev.rialto.spi.Probe;
import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.CodeTarget;
import dev.rialto.spi.code.CodeTarget.Unit;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.error.CompilationException;
import dev.rialto.system.DeepStack;
import dev.rialto.system.InstalledLibrary;
import dev.rialto.system.LibrarySearch;
import dev.rialto.system.files.ScratchFolder;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Compiles loops in this process with libgccjit: the same optimizer as {@code cc}, without printing
 * and parsing C.
 */
public final class GccJitTarget implements CodeTarget {
  private static final int OPTIMIZATION_LEVEL = 0;
  private static final int DYNAMIC_LIBRARY = 2;

  private static final List<String> FLAGS =
      CcTarget.FLAGS.stream().filter(f -> !f.startsWith("-O") && !f.startsWith("-march")).toList();

  /** Made by {@link java.util.ServiceLoader}. */
  public GccJitTarget() {}

  @Override
  public String name() {
    return "gccjit";
  }

  @Override
  public Probe probe() {
    return LibGccJit.path()
        .<Probe>map(
            path ->
                new Probe.Available(
                    List.of(), List.of(new Probe.Library("libgccjit", LibGccJit.version(), path))))
        .orElseGet(
            () ->
                new Probe.Unavailable(
                    LibrarySearch.here().name(InstalledLibrary.GCCJIT) + " not found",
                    "install it (apt install libgccjit0 gcc, brew install libgccjit), or set"
                        + " RIALTO_GCCJIT to its folder"));
  }

  @Override
  public int vectorBits() {
    return Processor.vectorBits();
  }

  @Override
  public boolean contracts() {
    return true;
  }

  /** The library makes vectors, and arithmetic on them; the rest it leaves to its vectorizer. */
  @Override
  public boolean vectorsBeyondArithmetic() {
    return false;
  }

  @Override
  public String fingerprint() {
    return "functions 2 by libgccjit "
        + LibGccJit.version()
        + " "
        + FLAGS
        + " "
        + Processor.nameHere();
  }

  @Override
  public byte[] build(Unit unit) {
    return DeepStack.call("gccjit", () -> buildHere(unit));
  }

  private static byte[] buildHere(Unit unit) {
    MemorySegment context = LibGccJit.call("context_acquire");
    try (Arena arena = Arena.ofConfined()) {
      LibGccJit.run("context_set_int_option", context, OPTIMIZATION_LEVEL, 3);
      LibGccJit.run("context_set_bool_print_errors_to_stderr", context, 0);
      for (String flag : FLAGS) {
        option(arena, context, flag);
      }
      for (String feature : Processor.here().features()) {
        option(arena, context, feature);
      }
      option(arena, context, "-ffp-contract=" + (unit.fast() ? "fast" : "off"));
      for (Procedure procedure : unit.procedures()) {
        new GccJitFunction(context, arena, procedure).build();
      }
      try (ScratchFolder folder = ScratchFolder.create()) {
        Path file = folder.path().resolve(unit.name() + ".so");
        LibGccJit.run(
            "context_compile_to_file",
            context,
            DYNAMIC_LIBRARY,
            arena.allocateFrom(file.toString()));
        var error = LibGccJit.firstError(context);
        if (error.isPresent()) {
          throw new CompilationException(
              "libgccjit cannot compile " + unit.name() + ": " + error.get(), "gccjit", "", null);
        }
        return Files.readAllBytes(file);
      }
    } catch (IOException e) {
      throw new CompilationException(
          "cannot write the code of " + unit.name() + ": " + e,
          "gccjit",
          "make room in " + System.getProperty("java.io.tmpdir") + " or set -Djava.io.tmpdir",
          e);
    } finally {
      LibGccJit.run("context_release", context);
    }
  }

  private static void option(Arena arena, MemorySegment context, String flag) {
    LibGccJit.run("context_add_command_line_option", context, arena.allocateFrom(flag));
  }

  @Override
  public Code load(Unit unit, byte[] image) {
    return new SharedLibrary(unit, image, "gccjit");
  }
}
