package dev.rialto.exchange;

import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Transpose;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/** A transpose in which rank 1 fails at a chosen moment, while the others go on. */
final class Faults {
  private static final int SIDE = 96;

  private Faults() {}

  /** When rank 1 fails. */
  enum Phase {
    /** While it makes buffers and kernels. */
    BIND,
    /** While it packs. */
    START,
    /** Between start and await. */
    BETWEEN,
    /** While it unpacks; or after the await, where nothing is. */
    AWAIT,
    /** Between runs, so that it closes while others run. */
    CLOSE
  }

  /** The failure that has to come out. */
  static final class Injected extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Injected(Phase phase) {
      super("injected on rank 1 at " + phase);
    }
  }

  /** Returns why a scheme cannot carry out the transpose, or nothing. */
  static boolean isRefused(Communicator comm, String scheme) {
    return Scheme.parse(scheme).refusal(plan(comm), DType.F64, comm).isPresent();
  }

  private static ExchangePlan plan(Communicator comm) {
    Shape shape = Shape.of(SIDE, SIDE);
    int ranks = comm.size();
    return Transpose.plan(
        Grid.block(shape, ranks, 1), Grid.block(shape, 1, ranks).withOrder(1, 0), comm.rank());
  }

  /** Runs on each rank; never returns normally on rank 1. */
  static void run(Communicator comm, String scheme, Phase phase) {
    Phase[] armed = new Phase[1];
    boolean fails = comm.rank() == 1;
    Runnable preparing = () -> failIf(armed[0] == Phase.BIND, phase);
    Runnable moving = () -> failIf(armed[0] == Phase.START || armed[0] == Phase.AWAIT, phase);
    ExchangePlan plan = plan(comm);
    // Messages are long enough to be read from the sender's array where they can be.
    try (Arena arena = Arena.ofShared();
        Exchanger exchanger = Exchanger.on(comm, HookedKernels.options(preparing, moving))) {
      Exchange exchange = exchanger.exchange(plan, DType.F64).scheme(scheme);
      MemorySegment in = arena.allocate(8 * plan.inputCount(), 64);
      MemorySegment out = arena.allocate(8 * plan.outputCount(), 64);
      armed[0] = fails && phase == Phase.BIND ? phase : null;
      exchange.run(in, out);
      armed[0] = fails && phase == Phase.START ? phase : null;
      exchange.start(in, out);
      failIf(fails && phase == Phase.BETWEEN, phase);
      armed[0] = fails && phase == Phase.AWAIT ? phase : null;
      exchange.await();
      failIf(fails, phase);
      for (int run = 0; run < 3; run++) {
        exchange.run(in, out);
      }
    }
  }

  private static void failIf(boolean fails, Phase phase) {
    if (fails) {
      throw new Injected(phase);
    }
  }
}
