package dev.rialto.bench.comm;

import dev.rialto.bench.BenchReport;
import dev.rialto.bench.BenchRow;
import dev.rialto.bench.Peer;
import dev.rialto.bench.RankJobs;
import dev.rialto.bench.Samples;
import dev.rialto.bench.Suite;
import dev.rialto.bench.TemporaryFolder;
import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Backends;
import dev.rialto.spi.Probe;
import dev.rialto.spi.RankLauncher;
import dev.rialto.spi.error.BackendException;
import dev.rialto.system.JavaCommand;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Ranks that are processes against a C program on the same MPI library.
 *
 * <p>Jobs of Rialto and of the peer alternate, started by the same launcher with the same options;
 * each measures all cases once. The peer asks for the support of threads that Rialto needs, so that
 * the ratio is what Rialto adds. The floor is the peer as a program without threads, for which the
 * library takes no locks.
 */
public final class ProcessCommSuite implements Suite {
  /** The programs that compile for an MPI library; what they make tells for which. */
  private static final List<String> COMPILERS = List.of("mpicc", "mpicc.openmpi", "mpicc.mpich");

  private static final List<String> NOTES =
      List.of(
          "peer: with MPI_THREAD_MULTIPLE, as Rialto; floor: with MPI_Init, without any locks.",
          "B/op: heap bytes of one repetition on the rank that allocated most.",
          "checked: with the checks of -Drialto.mpi.checks, which other rows are without.");

  private final String comm;
  private final List<Integer> ranks;

  /**
   * Makes a suite.
   *
   * @param comm the backend whose ranks are processes
   * @param ranks for how many ranks to measure
   */
  public ProcessCommSuite(String comm, List<Integer> ranks) {
    this.comm = comm;
    this.ranks = List.copyOf(ranks);
  }

  @Override
  public String name() {
    return "comm";
  }

  @Override
  public BenchReport run(boolean quick, Progress progress) {
    return quick ? run(3, 60_000_000, progress) : run(7, 90_000_000, progress);
  }

  /**
   * Measures.
   *
   * @param rounds how many jobs of each kind
   * @param nanos for one case in one job
   */
  BenchReport run(int rounds, long nanos, Progress progress) {
    BackendProvider backend = Backends.get(comm);
    String library = library(backend);
    List<BenchRow> rows = new ArrayList<>();
    try (TemporaryFolder folder = new TemporaryFolder()) {
      RankJobs jobs = new RankJobs(launcher(backend), folder.path().resolve("times"), progress);
      Optional<Path> peer = peer(folder.path(), library);
      int total = ranks.size() * rounds;
      boolean done = true;
      for (int i = 0; i < ranks.size() && done; i++) {
        int count = ranks.get(i);
        int before = i * rounds;
        Table table = new Table(count);
        done =
            progress.measure(
                () -> {
                  for (int round = 0; round < rounds; round++) {
                    String what = count + " ranks, round " + (round + 1) + " of " + rounds;
                    progress.step(before + round, total, what);
                    table.round(jobs, peer, nanos);
                  }
                });
        rows.addAll(table.rows(peer.isPresent() ? library + " C" : "mpicc for " + library));
      }
      if (done) {
        progress.step(total, total, "done");
      }
      Map<String, String> libraries = Map.of("mpi", library);
      return new BenchReport(name(), Instant.now(), libraries, rows, NOTES, !done);
    }
  }

  /** The measurements with one number of ranks. */
  private final class Table {
    private final int count;
    private final Samples rialto = new Samples();
    private final Samples allocated = new Samples();
    private final Samples checked = new Samples();
    private final Samples peers = new Samples();
    private final Samples floors = new Samples();

    Table(int count) {
      this.count = count;
    }

    void round(RankJobs jobs, Optional<Path> peer, long nanos) {
      List<String> arguments = List.of(comm, jobs.file().toString(), Long.toString(nanos));
      for (RankJobs.Line line : jobs.run(count, ranks(false, arguments))) {
        rialto.add(line.name(), line.micros());
        allocated.add(line.name(), line.allocated());
      }
      List<String> some = Stream.concat(arguments.stream(), Stream.of("checked")).toList();
      for (RankJobs.Line line : jobs.run(count, ranks(true, some))) {
        checked.add(line.name(), line.micros());
      }
      peer.ifPresent(program -> add(peers, jobs, program, "multiple", nanos));
      peer.ifPresent(program -> add(floors, jobs, program, "single", nanos));
    }

    private static List<String> ranks(boolean checks, List<String> arguments) {
      List<String> command = new ArrayList<>(JavaCommand.like(CommRanks.class, arguments));
      command.add(1, "-Drialto.mpi.checks=" + checks);
      return command;
    }

    private void add(Samples to, RankJobs jobs, Path program, String threads, long nanos) {
      String batch = Double.toString(nanos / 1e9 / RankTimer.BATCHES);
      List<String> command =
          List.of(program.toString(), comm, jobs.file().toString(), threads, batch);
      jobs.run(count, command).forEach(line -> to.add(line.name(), line.micros()));
    }

    List<BenchRow> rows(String peerName) {
      return Stream.concat(
              CommCase.ofProcesses(comm).stream()
                  .map(
                      each ->
                          row(each, "", rialto, peerName)
                              .withGoal(each.goal())
                              .withAllocated(allocated.median(each.name()))),
              CommCase.ofCheckedProcesses(comm).stream()
                  .map(each -> row(each, "/checked", checked, peerName)))
          .toList();
    }

    private BenchRow row(CommCase each, String ending, Samples times, String peerName) {
      String name = each.name() + ending + (count == 2 ? "" : "/" + count + "ranks");
      return BenchRow.of(name, "us", times.time(each.name()))
          .against(peerName, peers.median(each.name()))
          .withFloor(floors.median(each.name()));
    }
  }

  private RankLauncher launcher(BackendProvider backend) {
    return backend
        .launcher()
        .orElseThrow(
            () ->
                new BackendException(
                    "the ranks of '" + comm + "' are not processes",
                    "",
                    "measure them without --comm",
                    null));
  }

  private static String library(BackendProvider backend) {
    return backend.probe() instanceof Probe.Available available
        ? available.libraries().stream()
            .map(found -> found.name() + " " + found.version())
            .collect(Collectors.joining(", "))
        : "";
  }

  /** Compiles the peer with the first compiler that does so for the library. */
  private static Optional<Path> peer(Path folder, String library) {
    return COMPILERS.stream()
        .flatMap(compiler -> Peer.compile("comm_peer.c", folder, compiler, "-O3").stream())
        .filter(program -> sameLibrary(Peer.library(program), library))
        .findFirst();
  }

  /** Returns whether a library that describes itself is the one of a name and a version. */
  private static boolean sameLibrary(String said, String library) {
    int version = library.lastIndexOf(' ');
    return said.startsWith(library.substring(0, version))
        && said.endsWith(library.substring(version + 1));
  }
}
