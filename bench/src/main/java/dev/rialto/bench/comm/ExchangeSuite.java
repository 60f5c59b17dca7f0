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
import dev.rialto.spi.RankLauncher;
import dev.rialto.spi.World;
import dev.rialto.system.JavaCommand;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.stream.Stream;

/**
 * Exchanges of two ranks against the same through MPI in C.
 *
 * <p>Rounds alternate with the peer's; the first of Rialto's warms up and is dropped.
 */
public final class ExchangeSuite implements Suite {
  private static final int RANKS = 2;

  private final String comm;

  /** Makes the suite for the ranks of one backend. */
  public ExchangeSuite(String comm) {
    this.comm = comm;
  }

  @Override
  public String name() {
    return "exchange";
  }

  @Override
  public String description() {
    return "transposes, halo updates and algorithms on arrays of two ranks";
  }

  @Override
  public BenchReport run(boolean quick, Progress progress) {
    int edge = quick ? 128 : 256;
    int rounds = quick ? 3 : 6;
    long nanos = quick ? 200_000_000L : 1_000_000_000L;
    Samples rialto = new Samples();
    Samples allocated = new Samples();
    Samples others = new Samples();
    Samples floors = new Samples();
    try (TemporaryFolder folder = new TemporaryFolder()) {
      List<CommCase> cases = ExchangeCase.all(comm, edge, folder.path());
      Optional<Peer> peer =
          Peer.compile("exchange_peer.c", folder.path(), "mpicc", "-O3", "-march=native")
              .map(program -> Peer.mpi(program, "" + edge));
      boolean done =
          progress.measure(
              () -> {
                for (int round = 0; round < rounds; round++) {
                  progress.step(round, rounds, "round " + (round + 1) + " of " + rounds);
                  for (RankJobs.Line line :
                      round(cases, RANKS, "", edge, nanos, folder.path(), progress)) {
                    if (round > 0) {
                      rialto.add(line.name(), line.micros());
                      allocated.add(line.name(), line.allocated());
                    }
                  }
                  peer.ifPresent(program -> others.addAll(program.times(progress)));
                  for (RankJobs.Line line :
                      round(
                          List.of(ArrayCase.sort(comm)),
                          1,
                          ArrayCase.SORT,
                          edge,
                          nanos,
                          folder.path(),
                          progress)) {
                    if (round > 0) {
                      others.add(peerCase(line.name()), line.micros());
                    }
                  }
                  for (String kind : ArrayCase.KINDS) {
                    long bytes = ArrayCase.copiedBytes(kind);
                    progress.check();
                    double copy = Floors.copyMicros(bytes, 3);
                    floors.add(kind, copy);
                    others.add(
                        kind + "/" + ArrayCase.COUNT,
                        ArrayCase.onlyReads(kind) ? copy : Floors.plainCopyMicros(bytes, 3));
                  }
                  // Each of the four steps reads and writes the whole cube of 16-byte elements.
                  floors.add("transpose", 4 * Floors.copyMicros(16L * edge * edge * edge, 3));
                  floors.add("halo", Floors.lineMicros(20_000));
                }
                progress.step(rounds, rounds, "done");
              });
      List<BenchRow> rows = new ArrayList<>();
      for (CommCase each : cases) {
        rows.add(row(each, rialto, others, peer, floors, allocated));
      }
      Map<String, String> libraries = new LinkedHashMap<>();
      peer.ifPresent(p -> libraries.put("mpi", p.name()));
      return new BenchReport(
          name(),
          Instant.now(),
          libraries,
          rows,
          List.of(
              "transpose: X to Y to Z to Y to X of " + edge + "^3 complex doubles.",
              "floor: two cores copying as many bytes past the caches, which loops cannot do; a"
                  + " cache line handed to another core.",
              "B/op: heap bytes of one repetition on the rank that allocated most."),
          !done);
    }
  }

  /** Measures all cases once, in threads of this process or in processes. */
  private List<RankJobs.Line> round(
      List<CommCase> cases,
      int count,
      String prefix,
      int edge,
      long nanos,
      Path folder,
      Progress progress) {
    BackendProvider backend = Backends.get(comm);
    Optional<RankLauncher> launcher = backend.launcher();
    if (launcher.isPresent()) {
      Path file = folder.resolve("times");
      return new RankJobs(launcher.get(), file, progress)
          .run(
              count,
              JavaCommand.like(
                  ExchangeRanks.class,
                  Stream.of(comm, file.toString(), "" + edge, "" + nanos, prefix)
                      .filter(argument -> !argument.isEmpty())
                      .toList()));
    }
    try (World world = backend.openWorld(count)) {
      return world
          .call(
              ranks -> {
                List<RankJobs.Line> lines = new ArrayList<>();
                for (CommCase each : cases) {
                  progress.check();
                  RankTimer.Timing timing = RankTimer.time(ranks, each, nanos);
                  lines.add(new RankJobs.Line(each.name(), timing.micros(), timing.allocated()));
                }
                return lines;
              })
          .getFirst();
    }
  }

  /** Returns the name of a case without the backend. */
  private static String peerCase(String name) {
    return name.replaceFirst("/[a-z]+/", "/");
  }

  private static BenchRow row(
      CommCase each,
      Samples rialto,
      Samples others,
      Optional<Peer> peer,
      Samples floors,
      Samples allocated) {
    String kind = each.name().replaceFirst("/.*", "");
    return new BenchRow(
        each.name(),
        "us",
        rialto.time(each.name()),
        others.median(peerCase(each.name())),
        switch (kind) {
          case "sort" -> "Rialto on 1 rank";
          case "reduce", "minmax" -> "two cores copying as many bytes";
          case "transform", "scan" -> "two cores copying as many bytes through caches";
          default ->
              peer.map(Peer::name).orElse("Open MPI: apt install libopenmpi-dev openmpi-bin");
        },
        each.goal(),
        OptionalDouble.empty(),
        floors.median(kind),
        allocated.median(each.name()));
  }
}
