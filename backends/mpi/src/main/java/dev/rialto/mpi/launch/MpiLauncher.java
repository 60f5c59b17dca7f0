package dev.rialto.mpi.launch;

import dev.rialto.mpi.library.LibraryChoice;
import dev.rialto.mpi.library.LoadedLibrary;
import dev.rialto.mpi.library.MpiLibrary;
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
 * <p>On this machine alone, more ranks than processors are allowed; then none is bound to a
 * processor. Where the machines are a resource manager's or named by the user, the launcher is left
 * to place the ranks.
 */
public final class MpiLauncher implements RankLauncher {
  /** Further words for the launcher, such as {@code --hostfile hosts}. */
  static final String OPTIONS = "RIALTO_MPI_OPTIONS";

  /** Tells that a resource manager has given this job its machines, which the launcher knows. */
  private static final List<String> ALLOCATIONS =
      List.of("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "JOB_ID");

  /** Open MPI's settings that name a folder for files of a job. */
  private static final List<String> FOLDERS =
      List.of(
          "orte_tmpdir_base",
          "btl_vader_backing_directory",
          "osc_sm_backing_directory",
          "osc_rdma_backing_directory");

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
    JobFolder folder = JobFolder.create();
    added.put(JobFolder.VARIABLE, folder.path().toString());
    try {
      return LaunchedJob.start(folder, command(loaded.library(), ranks, command, added), added);
    } catch (IOException | RuntimeException e) {
      folder.delete();
      throw e;
    }
  }

  private static String asked(LoadedLibrary loaded) {
    String asked = LibraryChoice.asked();
    return asked.isEmpty() ? loaded.library().name() : asked;
  }

  /** Returns the whole command line. */
  public static List<String> command(
      MpiLibrary library, int ranks, List<String> command, Map<String, String> environment) {
    List<String> line = new ArrayList<>(List.of(program(library), "-n", Integer.toString(ranks)));
    if (library.equals(MpiLibrary.OPEN_MPI)) {
      addOpenMpi(line, ranks, environment);
    }
    line.addAll(furtherOptions());
    line.addAll(JobFolder.SHELL);
    line.addAll(command);
    return line;
  }

  private static void addOpenMpi(List<String> line, int ranks, Map<String, String> environment) {
    boolean onlyHere =
        furtherOptions().isEmpty() && ALLOCATIONS.stream().noneMatch(System.getenv()::containsKey);
    if (onlyHere) {
      boolean crowded = ranks > Runtime.getRuntime().availableProcessors();
      line.addAll(List.of("--map-by", "slot:OVERSUBSCRIBE"));
      line.addAll(List.of("--bind-to", crowded ? "none" : "core"));
      if (crowded) {
        line.addAll(List.of("--mca", "mpi_yield_when_idle", "1"));
      }
      // What it would leave in other places, if it is killed, goes with the folder of the job.
      Optional.ofNullable(environment.get(JobFolder.VARIABLE))
          .ifPresent(
              folder -> FOLDERS.forEach(setting -> line.addAll(List.of("--mca", setting, folder))));
    }
    if (System.getProperty("user.name", "").equals("root")) {
      line.add("--allow-run-as-root");
    }
    environment.keySet().stream().sorted().forEach(name -> line.addAll(List.of("-x", name)));
  }

  private static List<String> furtherOptions() {
    String words = System.getenv().getOrDefault(OPTIONS, "").strip();
    return words.isEmpty() ? List.of() : List.of(words.split("\\s+"));
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
  public static Optional<String> onPath(String name) {
    for (String folder : System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1)) {
      Path file = Path.of(folder, name);
      if (Files.isExecutable(file)) {
        return Optional.of(file.toString());
      }
    }
    return Optional.empty();
  }
}
