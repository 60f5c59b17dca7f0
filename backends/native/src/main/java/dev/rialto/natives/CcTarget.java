package dev.rialto.natives;

import dev.rialto.spi.Probe;
import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.CodeTarget;
import dev.rialto.spi.code.CodeTarget.Unit;
import dev.rialto.spi.code.Dialect;
import dev.rialto.spi.error.CompilationException;
import dev.rialto.system.files.ScratchFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Compiles C with the system's compiler: {@code cc}, or what {@code -Drialto.jit.cc} names. It must
 * understand GNU C's vector types; gcc and clang do.
 */
public final class CcTarget implements CodeTarget {
  private static final long PATIENCE_SECONDS = 120;

  /**
   * No contraction, no traps, no errno: the same bits as everywhere else, and free to use vectors.
   */
  static final List<String> FLAGS =
      List.of(
          "-O3",
          "-march=native",
          "-fPIC",
          "-fwrapv",
          "-fno-strict-aliasing",
          "-fno-math-errno",
          "-fno-trapping-math");

  private final String compiler;
  private final long patienceSeconds;
  private volatile @Nullable String version;

  /** Made by {@link java.util.ServiceLoader}. */
  public CcTarget() {
    this(System.getProperty("rialto.jit.cc", "cc"), PATIENCE_SECONDS);
  }

  /** Uses a compiler by name or path, and gives it up after a while. */
  CcTarget(String compiler, long patienceSeconds) {
    this.compiler = compiler;
    this.patienceSeconds = patienceSeconds;
  }

  @Override
  public String name() {
    return "cc";
  }

  @Override
  public Probe probe() {
    try {
      String version = version();
      return new Probe.Available(
          List.of(), List.of(new Probe.Library("C compiler", version, compiler)));
    } catch (CompilationException e) {
      return new Probe.Unavailable(
          "the C compiler '" + compiler + "' does not run",
          "install one (apt install gcc) or name one with -Drialto.jit.cc=PATH");
    }
  }

  /** Asked once: starting a process takes longer than loading what the cache holds. */
  private String version() {
    String known = version;
    if (known == null) {
      known = run(List.of(compiler, "--version")).lines().findFirst().orElse("unknown");
      version = known;
    }
    return known;
  }

  @Override
  public Optional<Dialect> dialect() {
    return Optional.of(Dialect.GNU_C);
  }

  @Override
  public int vectorBits() {
    return Processor.vectorBits();
  }

  @Override
  public boolean contracts() {
    return true;
  }

  @Override
  public String fingerprint() {
    return version() + " " + FLAGS + " " + Processor.nameHere();
  }

  @Override
  public byte[] build(Unit unit) {
    try (ScratchFolder folder = ScratchFolder.create()) {
      Path source = Files.writeString(folder.path().resolve(unit.name() + ".c"), unit.source());
      Path library = folder.path().resolve(unit.name() + ".so");
      List<String> command = new ArrayList<>(List.of(compiler));
      command.addAll(FLAGS);
      command.add("-ffp-contract=" + (unit.fast() ? "fast" : "off"));
      command.addAll(
          List.of("-w", "-shared", "-pipe", "-o", library.toString(), source.toString(), "-lm"));
      run(command);
      return Files.readAllBytes(library);
    } catch (IOException e) {
      throw new CompilationException(
          "cannot write the source of " + unit.name() + ": " + e,
          "cc",
          "make room in " + System.getProperty("java.io.tmpdir") + " or set -Djava.io.tmpdir",
          e);
    }
  }

  /** Runs a command to its end and returns what it said. */
  private String run(List<String> command) {
    // Into a file: reading a pipe to its end would wait for a compiler that never ends.
    try (ScratchFolder folder = ScratchFolder.create()) {
      return run(command, folder.path().resolve("said.txt"));
    } catch (IOException e) {
      throw new CompilationException(
          "the C compiler cannot be started: " + e.getMessage(),
          "cc",
          "install one (apt install gcc) or name one with -Drialto.jit.cc=PATH",
          e);
    }
  }

  private String run(List<String> command, Path said) throws IOException {
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(said.toFile()).start();
    try {
      if (!process.waitFor(patienceSeconds, TimeUnit.SECONDS)) {
        throw new CompilationException(
            "the C compiler did not end within " + patienceSeconds + " s",
            "cc",
            "the command was " + String.join(" ", command),
            null);
      }
      String text = Files.readString(said).strip();
      if (process.exitValue() != 0) {
        throw new CompilationException(
            "the C compiler failed with code " + process.exitValue() + ":\n" + text,
            "cc",
            "the command was " + String.join(" ", command),
            null);
      }
      return text;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CompilationException("interrupted while the C compiler ran", "cc", "", e);
    } finally {
      process.destroyForcibly();
    }
  }

  @Override
  public Code load(Unit unit, byte[] image) {
    return new SharedLibrary(unit, image, "cc");
  }
}
