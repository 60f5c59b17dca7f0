package dev.rialto.dist.guide;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import dev.rialto.array.Decomposition;
import dev.rialto.array.DistributedArray;
import dev.rialto.array.Elementwise;
import dev.rialto.array.Generator;
import dev.rialto.array.Operator;
import dev.rialto.array.Reduce;
import dev.rialto.array.Team;
import dev.rialto.exchange.plan.Halo;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;

/** What {@code docs/halo-stencils.md} shows. */
final class HaloStencil {
  private HaloStencil() {}

  /** Averages neighbours two times, starting from a single 1; returns the largest element. */
  static double twoSteps(Communicator comm, int edge) {
    Halo.Stencil stencil = Halo.Stencil.of(2, 1, true, false);
    Decomposition rows = Decomposition.block(comm.size(), 1);
    try (Team team = Team.on(comm);
        DistributedArray now = team.array(DType.F64, Shape.of(edge, edge), rows, stencil);
        DistributedArray next = team.array(DType.F64, Shape.of(edge, edge), rows, stencil)) {
      Elementwise.generate(now, Generator.ofDoubles(i -> i == 0 ? 1 : 0)).run();
      step(now, next);
      step(next, now);
      return Reduce.of(now, Operator.MAX).run().asDouble();
    }
  }

  private static void step(DistributedArray from, DistributedArray to) {
    long rows = from.localShape().extent(0) - 2;
    from.startHalo();
    average(from, to, 2, rows);
    from.awaitHalo();
    average(from, to, 1, 2);
    if (rows > 1) {
      average(from, to, rows, rows + 1);
    }
  }

  private static void average(DistributedArray from, DistributedArray to, long first, long end) {
    MemorySegment u = from.local();
    long pitch = from.localShape().extent(1);
    for (long at = first * pitch + 1; at < end * pitch - 1; at++) {
      double around =
          u.getAtIndex(JAVA_DOUBLE, at - pitch)
              + u.getAtIndex(JAVA_DOUBLE, at + pitch)
              + u.getAtIndex(JAVA_DOUBLE, at - 1)
              + u.getAtIndex(JAVA_DOUBLE, at + 1);
      to.local().setAtIndex(JAVA_DOUBLE, at, around / 4);
    }
  }
}
