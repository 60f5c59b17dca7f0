package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;

import dev.rialto.exchange.plan.Halo;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;

/** What {@code docs/arrays.md} shows. */
final class GuideExample {
  private GuideExample() {}

  static double harmonic(Communicator comm) {
    try (Team team = Team.on(comm);
        DistributedArray a = team.array(DType.F64, Shape.of(1_000), Decomposition.block())) {
      Elementwise.generate(a, Generator.ofDoubles(i -> 1.0 / (i + 1))).run();
      return Reduce.of(a, Operator.SUM).run().asDouble();
    }
  }

  static Scalar elements(DistributedArray a) {
    if (a.team().communicator().rank() == 0) {
      a.put(2.5, 999); // the last rank's
    }
    a.synchronize();
    return a.get(999);
  }

  /** One step of a diffusion; returns the largest element afterwards. */
  static double diffuse(Team team, int edge) {
    Halo.Stencil stencil = Halo.Stencil.of(2, 1, true, false);
    Decomposition rows = Decomposition.block(team.communicator().size(), 1);
    try (DistributedArray u = team.array(DType.F64, Shape.of(edge, edge), rows, stencil);
        DistributedArray next = team.array(DType.F64, Shape.of(edge, edge), rows, stencil)) {
      Elementwise.generate(u, Generator.ofDoubles(i -> i == 0 ? 1 : 0)).run();
      u.updateHalo();
      MemorySegment from = u.local();
      long pitch = u.localShape().extent(1);
      for (long i = 1; i < u.localShape().extent(0) - 1; i++) {
        for (long j = 1; j < pitch - 1; j++) {
          long at = i * pitch + j;
          double around =
              from.getAtIndex(JAVA_DOUBLE, at - pitch)
                  + from.getAtIndex(JAVA_DOUBLE, at + pitch)
                  + from.getAtIndex(JAVA_DOUBLE, at - 1)
                  + from.getAtIndex(JAVA_DOUBLE, at + 1);
          next.local().setAtIndex(JAVA_DOUBLE, at, around / 4);
        }
      }
      return Reduce.of(next, Operator.MAX).run().asDouble();
    }
  }

  static double median(DistributedArray a, Runnable somethingElse) {
    Started<Scalar> median = Select.nth(a, a.shape().count() / 2).start();
    somethingElse.run(); // meanwhile, on this thread
    return median.await().asDouble(); // or median.cancel(), from any thread
  }

  static void change(DistributedArray a) {
    a.redistribute(Decomposition.cyclic(a.team().communicator().size())).run();
    a.resize(Shape.of(2_000)).run();
  }

  static Complex product(DistributedArray a, DistributedArray b) {
    Operator conjugated = Operator.ofComplex((x, y) -> x.conjugate().times(y));
    return Reduce.transformed(a, b, conjugated, Operator.SUM).run().asComplex();
  }
}
