package dev.rialto.mpi;

import dev.rialto.spi.RankLauncher;
import dev.rialto.spi.error.BackendException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Starts ranks with the launcher that belongs to the MPI library, and knows whether it is one.
 *
 * <p>More ranks than processors are allowed; then none is bound to a processor. Ranks that share a
 * machine are told so by their number of processors, and wait accordingly.
 */
final class MpiLauncher implements RankLauncher {
  /** Runs a rank and says which it was if it ends badly: Hydra tells only its process id. */
  private static final String NAMING =
      "\"$@\"; code=$?; [ $code = 0 ] || echo \"rank ${PMI_RANK:-?} ended with code $code\" >&2;"
          + " exit $code";

  @Override
  public boolean launched() {
    return Launched.from(System.getenv()).isPresent();
  }

  @Override
  public int rank() {
    return Launched.from(System.getenv()).map(Launched::rank).orElse(0);
  }

  @Override
  public Process launch(int ranks, List<String> command, Map<String, String> environment)
      throws IOException {
    if (ranks < 1) {
      throw new IllegalArgumentException(ranks + " ranks; give at least 1");
    }
    LoadedLibrary loaded =
        LibraryChoice.made()
            .library()
            .orElseThrow(
                () -> new BackendException(LibraryChoice.made().reason(), "", "install one", null));
    Map<String, String> added = new HashMap<>(environment);
    added.put(LibraryChoice.VARIABLE, asked(loaded));
    ProcessBuilder builder = new ProcessBuilder(command(loaded.library(), ranks, command, added));
    builder.environment().putAll(added);
    return builder.inheritIO().start();
  }

  private static String asked(LoadedLibrary loaded) {
    String asked = LibraryChoice.asked();
    return asked.isEmpty() ? loaded.library().name() : asked;
  }

  /** Returns the whole command line. */
  static List<String> command(
      MpiLibrary library, int ranks, List<String> command, Map<String, String> environment) {
    List<String> line = new ArrayList<>();
    line.add(program(library));
    line.addAll(
        switch (library) {
          case OpenMpi _ -> openMpi(ranks, environment);
          case Mpich _, StandardAbi _ ->
              List.of("-n", Integer.toString(ranks), "sh", "-c", NAMING, "sh");
        });
    line.addAll(command);
    return line;
  }

  private static List<String> openMpi(int ranks, Map<String, String> environment) {
    List<String> options =
        new ArrayList<>(List.of("-n", Integer.toString(ranks), "--oversubscribe"));
    boolean crowded = ranks > Runtime.getRuntime().availableProcessors();
    options.addAll(List.of("--bind-to", crowded ? "none" : "core"));
    if (crowded) {
      options.addAll(List.of("--mca", "mpi_yield_when_idle", "1"));
    }
    if (System.getProperty("user.name", "").equals("root")) {
      options.add("--allow-run-as-root");
    }
    environment.keySet().stream().sorted().forEach(name -> options.addAll(List.of("-x", name)));
    return options;
  }

  private static String program(MpiLibrary library) {
    return library.launchers().stream()
        .flatMap(name -> onPath(name).stream())
        .findFirst()
        .orElseThrow(
            () ->
                new BackendException(
                    "no launcher of " + library.family() + " is on the PATH",
                    "",
                    "install one of " + String.join(", ", library.launchers()),
                    null));
  }

  /** Returns the path of a program; empty if there is none of that name. */
  static Optional<String> onPath(String name) {
    for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
      Path file = Path.of(folder, name);
      if (Files.isExecutable(file)) {
        return Optional.of(file.toString());
      }
    }
    return Optional.empty();
  }
}
