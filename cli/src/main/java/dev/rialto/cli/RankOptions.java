package dev.rialto.cli;

import dev.rialto.cli.option.CommandFailure;
import dev.rialto.cli.option.MpiOption;
import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Backends;
import dev.rialto.spi.Probe;
import dev.rialto.spi.RankLauncher;
import dev.rialto.spi.World;
import dev.rialto.spi.error.BackendException;
import dev.rialto.system.JavaCommand;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/**
 * The options that say on which ranks a command runs.
 *
 * <p>Where ranks are processes, the command starts itself again under their launcher: in the first
 * process {@link #relaunch} waits for the job, in the ranks it does nothing and {@link #open} joins
 * them.
 */
final class RankOptions {
  @Spec(Target.MIXEE)
  private CommandSpec spec;

  @Option(
      names = "--ranks",
      paramLabel = "N",
      description = "How many ranks share the work (default: 2, or as many as were launched).")
  private @Nullable Integer ranks;

  @Option(
      names = "--comm",
      paramLabel = "NAME",
      description =
          "What links the ranks: local, threads of this JVM, or mpi, processes (default: local, or"
              + " what launched this process).")
  private @Nullable String comm;

  @Mixin private MpiOption mpi;

  /**
   * Refuses what cannot be right.
   *
   * @return how many ranks are asked for; 0 for as many as were launched
   */
  int check() {
    if (ranks != null && ranks < 1) {
      throw CommandFailure.usage("--ranks " + ranks + " is too few.", "Give at least 1.");
    }
    return ranks();
  }

  private int ranks() {
    if (ranks != null) {
      return ranks;
    }
    return isLaunched(backend()) ? 0 : 2;
  }

  /** Returns the name of what links the ranks. */
  String comm() {
    return backend().name();
  }

  /** Returns what the ranks are, for people. */
  String describe() {
    BackendProvider backend = backend();
    if (backend.launcher().isEmpty()) {
      return "threads of this JVM";
    }
    return backend.probe() instanceof Probe.Available(_, List<Probe.Library> libraries)
        ? "processes linked by "
            + libraries.stream()
                .map(library -> library.name() + " " + library.version())
                .collect(Collectors.joining(", "))
        : backend.description();
  }

  boolean sharesProcess() {
    return backend().launcher().isEmpty();
  }

  /** Returns whether this process speaks for the ranks. */
  boolean leads() {
    return backend().launcher().map(launcher -> launcher.rank() == 0).orElse(true);
  }

  /**
   * Runs the whole command on ranks that are processes of their own.
   *
   * @return its exit code; empty if that is not how the ranks run, or this process is one of them
   */
  Optional<Integer> relaunch() throws IOException, InterruptedException {
    BackendProvider backend = backend();
    Optional<RankLauncher> launcher = backend.launcher();
    if (launcher.isEmpty() || launcher.get().launched()) {
      return Optional.empty();
    }
    Main.of(spec.commandLine()).waitsForRanks();
    List<String> arguments = Main.of(spec.commandLine()).argumentsForRanks();
    Process job = launcher.get().launch(ranks(), JavaCommand.like(Main.class, arguments), Map.of());
    return Optional.of(job.waitFor());
  }

  World open() {
    try {
      return backend().openWorld(ranks());
    } catch (IllegalArgumentException e) {
      throw CommandFailure.usage("--ranks " + ranks() + ": " + e.getMessage() + ".", "");
    }
  }

  private BackendProvider backend() {
    String asked = mpi.backend(comm);
    mpi.choose();
    try {
      if (asked != null) {
        return Backends.get(asked);
      }
      return Backends.all().stream()
          .filter(RankOptions::isLaunched)
          .findFirst()
          .orElseGet(() -> Backends.get("local"));
    } catch (BackendException e) {
      throw CommandFailure.usage(
          String.valueOf(e.getMessage()), "'rialto info' lists the backends.");
    }
  }

  /** Returns the number of this process among ranks that were launched, if it was. */
  static OptionalInt launchedRank() {
    return Backends.all().stream()
        .filter(RankOptions::isLaunched)
        .map(BackendProvider::launcher)
        .mapToInt(launcher -> launcher.orElseThrow().rank())
        .findFirst();
  }

  private static boolean isLaunched(BackendProvider backend) {
    return backend.launcher().map(RankLauncher::launched).orElse(false);
  }
}
