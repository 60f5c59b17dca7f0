package dev.rialto.bench.comm;

import dev.rialto.bench.BenchReport;
import dev.rialto.bench.BenchRow;
import dev.rialto.bench.Peer;
import dev.rialto.bench.RankJobs;
import dev.rialto.bench.Samples;
import dev.rialto.bench.Suite;
import dev.rialto.bench.TemporaryFolder;
import dev.rialto.spi.Backends;
import dev.rialto.spi.World;
import dev.rialto.spi.exec.Executor;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The local world against Open MPI, two ranks each, and parallel loops against compiled C.
 *
 * <p>Rounds of the peers and of Rialto alternate, so that a slow spell of the machine hits both;
 * the first round of Rialto warms up the JVM and is dropped.
 */
public final class CommSuite implements Suite {
  private static final int RANKS = 2;
  private static final long TRIAD_COUNT = 64L << 20;

  @Override
  public String name() {
    return "comm";
  }

  @Override
  public BenchReport run(boolean quick, Progress progress) {
    try (TemporaryFolder temporary = new TemporaryFolder();
        World world = World.local(RANKS);
        Executor executor = Backends.get("cpu").openExecutor(RANKS);
        Triad triad = new Triad(TRIAD_COUNT, executor)) {
      Path folder = temporary.path();
      Optional<Peer> mpi =
          Peer.compile("comm_peer.c", folder, "mpicc", "-O3").map(p -> Peer.mpi(p, "local"));
      Optional<Peer> gcc =
          Peer.compile("triad_peer.c", folder, "gcc", "-O3", "-march=native", "-fopenmp")
              .map(p -> Peer.program(Peer.version("gcc").orElse("gcc") + " -O3", p, "" + RANKS));
      List<CommCase> cases = CommCase.inProcess("local");
      LoopCases loops = new LoopCases(executor, triad, quick);
      int rounds = quick ? 4 : 8;
      long nanos = quick ? 30_000_000 : 150_000_000;
      Samples rialto = new Samples();
      Samples allocated = new Samples();
      Samples peer = new Samples();
      Samples floors = new Samples();
      boolean done =
          progress.rounds(
              rounds,
              round -> {
                boolean warm = round > 0;
                for (CommCase each : cases) {
                  progress.check();
                  RankJobs.Line line =
                      world.call(comm -> RankTimer.time(comm, each, nanos)).getFirst();
                  if (warm) {
                    rialto.add(each.name(), line.micros());
                    allocated.add(each.name(), line.allocated());
                  }
                }
                Map<String, Double> loopTimes = loops.times();
                double stream = loops.emptyStream();
                measureFloors(floors);
                if (warm) {
                  rialto.addAll(loopTimes);
                  peer.add(LoopCases.EMPTY, stream);
                  mpi.ifPresent(p -> peer.addAll(p.times(progress)));
                  gcc.ifPresent(p -> peer.addAll(p.times(progress)));
                }
              });
      if (done) {
        triad.check();
      }
      String mpiName =
          mpi.map(Peer::name).orElse("Open MPI: apt install libopenmpi-dev openmpi-bin");
      List<BenchRow> rows = new ArrayList<>();
      for (CommCase each : cases) {
        rows.add(
            row(each.name(), rialto, peer, mpiName, floors)
                .withGoal(each.goal())
                .withAllocated(allocated.median(each.name())));
      }
      String gccName = gcc.map(Peer::name).orElse("gcc: apt install gcc");
      rows.add(
          row(LoopCases.TRIAD, rialto, peer, gccName, floors)
              .withGoal(1 / 0.95)
              .withAllocated(rialto.median(LoopCases.TRIAD + "/allocated")));
      rows.add(
          row(LoopCases.EMPTY, rialto, peer, "java.util.stream, parallel", floors)
              .withLimit(3)
              .withAllocated(rialto.median(LoopCases.EMPTY + "/allocated")));
      Map<String, String> libraries = new LinkedHashMap<>();
      mpi.ifPresent(p -> libraries.put("mpi", p.name()));
      gcc.ifPresent(p -> libraries.put("gcc", p.name()));
      return new BenchReport(name(), Instant.now(), libraries, rows, notes(), !done);
    }
  }

  private static List<String> notes() {
    return List.of(
        "floor: a cache line handed to another core, or both cores copying the bytes.",
        "B/op: heap bytes of one repetition on the rank that allocated most.");
  }

  private static BenchRow row(
      String name, Samples rialto, Samples peer, String peerName, Samples floors) {
    return BenchRow.of(name, "us", rialto.time(name))
        .against(peerName, peer.median(name))
        .withFloor(floors.median(name));
  }

  private static void measureFloors(Samples floors) {
    double line = Floors.lineMicros(20_000);
    floors.add("pingpong/local/8B", line);
    floors.add("barrier/local", line);
    floors.add("allReduce/local/8B", line);
    for (long bytes : new long[] {64 << 10, 256 << 10, 1 << 20, 4 << 20, 16 << 20}) {
      int copies = (int) Math.max(5, (64L << 20) / bytes);
      floors.add("pingpong/local/" + CommCase.size(bytes), Floors.copyMicros(bytes, copies));
    }
    // Each of two ranks copies its own half of what both receive together.
    floors.add("allToAll/local/64KiB", Floors.copyMicros(4 * (64 << 10), 500));
  }
}
