package dev.rialto.bench.comm;

import dev.rialto.array.Team;
import dev.rialto.bench.RankJobs;
import dev.rialto.bench.Suite;
import dev.rialto.exchange.Exchange;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.plan.Block;
import dev.rialto.exchange.plan.Combine;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.Region;
import dev.rialto.exchange.tune.Tuned;
import dev.rialto.exchange.tune.TuningChoice;
import dev.rialto.spi.Backends;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.system.files.TuningCache;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Makes the exchanges that are timed, the same for ranks that are threads and processes. */
final class ExchangeCase {
  private ExchangeCase() {}

  /**
   * Runs as a rank.
   *
   * @param args the backend, the file, and the arguments of {@link #measure}
   */
  public static void main(String[] args) {
    RankJobs.main(args, ExchangeCase::measure);
  }

  /**
   * Measures cases on the calling rank.
   *
   * @param arguments the backend, the folder of {@link #all}, the edge of the cube, the nanoseconds
   *     for each case, and how the names of those that are wanted begin
   */
  static List<RankJobs.Line> measure(
      Communicator ranks, List<String> arguments, boolean fresh, Suite.Progress progress) {
    int edge = Integer.parseInt(arguments.get(2));
    long nanos = Long.parseLong(arguments.get(3));
    List<RankJobs.Line> lines = new ArrayList<>();
    for (CommCase each : all(arguments.get(0), edge, Path.of(arguments.get(1)))) {
      if (each.name().startsWith(arguments.get(4))) {
        progress.check();
        lines.add(RankTimer.time(ranks, each, nanos));
      }
    }
    return lines;
  }

  /**
   * Returns the cases of a backend's ranks; those that are processes use what the peer does.
   *
   * @param folder where what the first round tunes is kept for the others
   */
  static List<CommCase> all(String comm, int edge, Path folder) {
    TuningCache cache = TuningCache.in(folder);
    double haloGoal = Backends.get(comm).launcher().isPresent() ? 1.1 : 0.5;
    List<CommCase> cases = new ArrayList<>();
    cases.add(
        new CommCase(
            "transpose/" + comm + "/" + edge, 1, 0.4, (ranks, _) -> new Turns(ranks, edge, cache)));
    for (long count : new long[] {100, 1000, 10000}) {
      cases.add(
          new CommCase(
              "halo/" + comm + "/" + count,
              1,
              haloGoal,
              (ranks, _) -> new Halo(ranks, count, cache)));
    }
    cases.addAll(ArrayCase.all(comm));
    return cases;
  }

  /** Turns a cube X to Y to Z and back, by the schemes that the tuner finds. */
  private static final class Turns implements CommCase.Repeated {
    private final Team team;
    private final List<Exchange> steps;
    private final MemorySegment first;
    private final MemorySegment second;

    Turns(Communicator comm, int edge, TuningCache cache) {
      team = Team.on(comm);
      Exchanger exchanger = team.exchanger();
      Shape shape = Shape.of(edge, edge, edge);
      TuningChoice way =
          team.tuner()
              .limit(Duration.ofSeconds(15))
              .remember(cache, "this machine")
              .transpose(shape, DType.C128)
              .way();
      List<ExchangePlan> plans = way.turns(shape, comm.rank());
      steps = way.exchanges(exchanger, plans, DType.C128);
      long most =
          plans.stream()
              .mapToLong(plan -> Math.max(plan.inputCount(), plan.outputCount()))
              .max()
              .orElseThrow();
      first = exchanger.allocateShared(DType.C128.bytes(most)).fill((byte) 1);
      second = exchanger.allocateShared(DType.C128.bytes(most)).fill((byte) 1);
    }

    @Override
    public void run() {
      for (int i = 0; i < steps.size(); i++) {
        steps.get(i).run(i % 2 == 0 ? first : second, i % 2 == 0 ? second : first);
      }
    }

    @Override
    public void close() {
      team.close();
    }
  }

  /**
   * Updates one halo between two ranks. What is sent was written just before, as a program would: a
   * peer that read it again from its own cache would be measured otherwise.
   */
  private static final class Halo implements CommCase.Repeated {
    private final Team team;
    private final Exchange exchange;

    /** Memory confined to one thread would be copied once more: peers could not keep it alive. */
    private final Arena arena = Arena.ofShared();

    private final MemorySegment array;
    private final MemorySegment boundary;
    private byte value;

    Halo(Communicator comm, long count, TuningCache cache) {
      team = Team.on(comm);
      Exchanger exchanger = team.exchanger();
      int peer = 1 - comm.rank();
      ExchangePlan plan =
          ExchangePlan.of(
              "halo of " + count,
              comm.rank(),
              2,
              2 * count,
              2 * count,
              List.of(Block.of(peer, Region.contiguous(0, count))),
              List.of(Block.of(peer, Region.contiguous(count, count))),
              Combine.REPLACE);
      array = arena.allocate(16 * count, 4096).fill((byte) 1);
      boundary = array.asSlice(0, 8 * count);
      Tuned tuned =
          team.tuner()
              .limit(Duration.ofSeconds(10))
              .remember(cache, "this machine")
              .plan(plan, DType.F64, array, array);
      exchange = exchanger.exchange(plan, DType.F64).scheme(tuned.scheme(0));
    }

    @Override
    public void run() {
      boundary.fill(value++);
      exchange.run(array, array);
    }

    @Override
    public void close() {
      team.close();
      arena.close();
    }
  }
}
