package dev.rialto.fft;

import dev.rialto.exchange.Exchange;
import dev.rialto.spi.fft.FftPlan;
import java.lang.foreign.MemorySegment;

/** One step of a plan in one direction: an axis that is transformed, or a move between grids. */
sealed interface Stage extends AutoCloseable {
  /** Returns the bytes this rank's part has before. */
  long inBytes();

  /** Returns the bytes this rank's part has afterwards. */
  long outBytes();

  /** Returns whether input and output should be the same memory where they can. */
  boolean inPlace();

  /** Returns the bytes of workspace. */
  long workspaceBytes();

  /** Begins; may end it too. */
  void start(MemorySegment in, MemorySegment out, MemorySegment workspace);

  /** Ends what was begun. */
  void await();

  @Override
  void close();

  /** All lines along one axis. */
  record Lines(FftPlan plan, int axis, String engine) implements Stage {
    @Override
    public long inBytes() {
      return plan.spec().inBytes();
    }

    @Override
    public long outBytes() {
      return plan.spec().outBytes();
    }

    @Override
    public boolean inPlace() {
      return plan.spec().kind().complexInput() == plan.spec().kind().complexOutput();
    }

    @Override
    public long workspaceBytes() {
      return plan.workspaceBytes();
    }

    @Override
    public void start(MemorySegment in, MemorySegment out, MemorySegment workspace) {
      plan.execute(in, out, workspace);
    }

    @Override
    public void await() {}

    @Override
    public void close() {
      plan.close();
    }

    @Override
    public String toString() {
      return "axis %d: %s of %d points, %d lines, engine %s"
          .formatted(
              axis,
              plan.spec().kind(),
              plan.spec().length(),
              plan.spec().lines() * plan.spec().planes(),
              engine);
    }
  }

  /** The array in another distribution. The exchanger that made the exchange closes it. */
  record Move(Exchange exchange) implements Stage {
    @Override
    public long inBytes() {
      return exchange.type().bytes(exchange.plan().inputCount());
    }

    @Override
    public long outBytes() {
      return exchange.type().bytes(exchange.plan().outputCount());
    }

    @Override
    public boolean inPlace() {
      return false;
    }

    @Override
    public long workspaceBytes() {
      return 0;
    }

    @Override
    public void start(MemorySegment in, MemorySegment out, MemorySegment workspace) {
      exchange.start(in, out);
    }

    @Override
    public void await() {
      exchange.await();
    }

    @Override
    public void close() {}

    @Override
    public String toString() {
      return "%s, %,d elements leave this rank, scheme %s"
          .formatted(exchange.plan().name(), exchange.plan().sentCount(), exchange.scheme());
    }
  }
}
