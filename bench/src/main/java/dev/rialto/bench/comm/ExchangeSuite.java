package dev.rialto.bench.comm;

import dev.rialto.bench.BenchReport;
import dev.rialto.bench.BenchRow;
import dev.rialto.bench.Peer;
import dev.rialto.bench.RankJobs;
import dev.rialto.bench.Samples;
import dev.rialto.bench.Suite;
import dev.rialto.bench.TemporaryFolder;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

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
          progress.rounds(
              rounds,
              round -> {
                for (RankJobs.Line line : round(RANKS, "", edge, nanos, folder.path(), progress)) {
                  if (round > 0) {
                    rialto.add(line.name(), line.micros());
                    allocated.add(line.name(), line.allocated());
                  }
                }
                peer.ifPresent(program -> others.addAll(program.times(progress)));
                for (RankJobs.Line line :
                    round(1, ArrayCase.SORT, edge, nanos, folder.path(), progress)) {
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

  private List<RankJobs.Line> round(
      int count, String prefix, int edge, long nanos, Path folder, Progress progress) {
    List<String> arguments = List.of(comm, folder.toString(), "" + edge, "" + nanos, prefix);
    return RankJobs.round(
        comm, count, ExchangeCase.class, ExchangeCase::measure, arguments, false, folder, progress);
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
    String who =
        switch (kind) {
          case "sort" -> "Rialto on 1 rank";
          case "reduce", "minmax" -> "two cores copying as many bytes";
          case "transform", "scan" -> "two cores copying as many bytes through caches";
          default ->
              peer.map(Peer::name).orElse("Open MPI: apt install libopenmpi-dev openmpi-bin");
        };
    return BenchRow.of(each.name(), "us", rialto.time(each.name()))
        .against(who, others.median(peerCase(each.name())))
        .withGoal(each.goal())
        .withFloor(floors.median(kind))
        .withAllocated(allocated.median(each.name()));
  }
}
