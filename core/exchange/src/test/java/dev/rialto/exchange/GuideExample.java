package dev.rialto.exchange;

import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Halo;
import dev.rialto.exchange.plan.Transpose;
import dev.rialto.exchange.tune.Tuned;
import dev.rialto.exchange.tune.Tuner;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.system.files.TuningCache;
import java.lang.foreign.MemorySegment;

/** The listings of {@code docs/exchange.md}. */
final class GuideExample {
  private GuideExample() {}

  static void transpose(Communicator comm) {
    Shape shape = Shape.of(64, 64, 64);
    Grid x = Transpose.pencils(shape, new int[] {comm.size(), 1}, 2);
    Grid z = Transpose.pencils(shape, new int[] {comm.size(), 1}, 0);
    ExchangePlan plan = Transpose.plan(x, z, comm.rank());

    try (Exchanger exchanger = Exchanger.on(comm)) {
      MemorySegment in = exchanger.allocateShared(DType.C128.bytes(plan.inputCount()));
      MemorySegment out = exchanger.allocateShared(DType.C128.bytes(plan.outputCount()));
      Exchange toZ = exchanger.exchange(plan, DType.C128).scheme("shared/pipelined");
      toZ.run(in, out);
    }
  }

  static void halo(Exchanger exchanger, Grid grid, MemorySegment field, Runnable inside) {
    Halo.Stencil stencil = Halo.Stencil.of(3, 1, true, false);
    ExchangePlan plan = Halo.stencil(grid, stencil, exchanger.communicator().rank());
    Exchange halo = exchanger.exchange(plan, DType.F64);

    halo.start(field, field);
    inside.run(); // computes on what the exchange does not touch
    halo.await();
  }

  static Tuned tune(Exchanger exchanger, Shape shape) {
    return new Tuner(exchanger)
        .remember(TuningCache.standard(), "this machine and its libraries")
        .transpose(shape, DType.C128);
  }
}
