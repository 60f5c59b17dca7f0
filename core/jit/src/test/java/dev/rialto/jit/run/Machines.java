package dev.rialto.jit.run;

import dev.rialto.jit.Node;
import dev.rialto.jit.Program;
import dev.rialto.spi.Probe;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The back ends that can be used here, and short ways to run a program on one. */
public final class Machines {
  private static final Path CACHE = newCache();

  private Machines() {}

  /** Every back end but the interpreters; those whose compiler is missing are left out, loudly. */
  public static List<String> compiled() {
    return JitBackend.names().stream()
        .filter(name -> !name.contains("interpreter"))
        .filter(
            name ->
                JitBackend.targets().get(name.replace("sync_", "")).probe()
                    instanceof Probe.Available)
        .toList();
  }

  /** All of them. */
  public static Stream<String> all() {
    return Stream.concat(Stream.of("sync_interpreter"), compiled().stream());
  }

  /** Opens a back end whose code is kept as long as the tests run: schedulers share a target's. */
  public static JitBackend open(String name) {
    return JitBackend.open(name, settings());
  }

  /** Settings with that code. */
  public static Settings settings() {
    return Settings.fromProperties().withCache(Optional.of(CACHE));
  }

  private static Path newCache() {
    try {
      return Files.createTempDirectory(Path.of("target"), "code");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Sets elements. */
  public static void write(Node node, MemorySegment memory, double[] values) {
    NodeValues.write(node, memory, values);
  }

  /** Gets elements. */
  public static double[] read(Node node, MemorySegment memory) {
    return NodeValues.read(node, memory);
  }

  /** Runs a program once from scratch and returns a node. */
  public static double[] run(
      JitBackend backend, Program program, Map<Node, double[]> inputs, Node output) {
    try (Compiled compiled = backend.compile(program);
        Context root = backend.newDevice(0).context();
        Routine routine = backend.link(root, compiled);
        Context context = routine.context()) {
      inputs.forEach(context::write);
      routine.run();
      return context.read(output);
    }
  }
}
