package dev.rialto.bench;

import dev.rialto.exchange.Exchange;
import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.plan.Block;
import dev.rialto.exchange.plan.Combine;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Region;
import dev.rialto.exchange.plan.Transpose;
import dev.rialto.exchange.tune.Effort;
import dev.rialto.exchange.tune.Tuned;
import dev.rialto.exchange.tune.Tuner;
import dev.rialto.spi.Backends;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalDouble;

/** Makes the exchanges that are timed, the same for ranks that are threads and processes. */
final class ExchangeCase {
  private ExchangeCase() {}

  /** Returns the cases of a backend's ranks; those that are processes use what the peer does. */
  static List<CommCase> all(String comm, int edge) {
    double haloGoal = Backends.get(comm).launcher().isPresent() ? 1.1 : 0.5;
    List<CommCase> cases = new ArrayList<>();
    cases.add(
        new CommCase(
            "transpose/" + comm + "/" + edge,
            1,
            OptionalDouble.of(0.4),
            (ranks, _) -> new Turns(ranks, edge)));
    for (long count : new long[] {100, 1000, 10000}) {
      cases.add(
          new CommCase(
              "halo/" + comm + "/" + count,
              1,
              OptionalDouble.of(haloGoal),
              (ranks, arena) -> new Halo(ranks, arena, count)));
    }
    cases.addAll(ArrayCase.all(comm));
    return cases;
  }

  /** Turns a cube X to Y to Z and back, by the schemes that the tuner finds. */
  private static final class Turns implements CommCase.Repeated {
    private final Exchanger exchanger;
    private final List<Exchange> steps = new ArrayList<>();
    private final MemorySegment first;
    private final MemorySegment second;

    Turns(Communicator comm, int edge) {
      exchanger = Exchanger.on(comm);
      Shape shape = Shape.of(edge, edge, edge);
      Tuned tuned =
          new Tuner(exchanger)
              .effort(Effort.ESTIMATE)
              .limit(Duration.ofSeconds(20))
              .transpose(shape, DType.C128);
      Grid x = Transpose.pencils(shape, tuned.gridParts(), 2);
      Grid y = Transpose.pencils(shape, tuned.gridParts(), 1);
      Grid z = Transpose.pencils(shape, tuned.gridParts(), 0);
      List<Grid> path = List.of(x, y, z, y, x);
      long most = 0;
      for (int i = 0; i + 1 < path.size(); i++) {
        ExchangePlan plan =
            Transpose.plan(path.get(i), path.get(i + 1), comm.rank(), tuned.order());
        steps.add(exchanger.exchange(plan, DType.C128).scheme(tuned.scheme(i)));
        most = Math.max(most, Math.max(plan.inputCount(), plan.outputCount()));
      }
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
      exchanger.close();
    }
  }

  /** Updates one halo between two ranks. */
  private static final class Halo implements CommCase.Repeated {
    private final Exchanger exchanger;
    private final Exchange exchange;
    private final MemorySegment array;

    Halo(Communicator comm, Arena arena, long count) {
      exchanger = Exchanger.on(comm);
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
      Tuned tuned =
          new Tuner(exchanger).limit(Duration.ofSeconds(5)).plan(plan, DType.F64, array, array);
      exchange = exchanger.exchange(plan, DType.F64).scheme(tuned.scheme(0));
    }

    @Override
    public void run() {
      exchange.run(array, array);
    }

    @Override
    public void close() {
      exchanger.close();
    }
  }
}
