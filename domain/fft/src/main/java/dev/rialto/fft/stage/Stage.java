package dev.rialto.fft.stage;

import dev.rialto.exchange.Exchange;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.fft.FftBox;
import dev.rialto.spi.fft.FftEngine.Work;
import dev.rialto.spi.fft.FftPlan;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** One or more steps of a plan in one direction, made ready to be executed. */
public sealed interface Stage extends AutoCloseable
    permits Stage.Lines,
        Stage.Nothing,
        Stage.Box,
        Stage.Move,
        Tiles,
        Twiddle,
        Mirror,
        Phases,
        Chirp {
  /** Returns the bytes this rank's part has before. */
  long inBytes();

  /** Returns the bytes this rank's part has afterwards. */
  long outBytes();

  /** Returns whether input and output should be the same memory where they can. */
  default boolean inPlace() {
    return false;
  }

  /** Returns whether other ranks take part, so that it can be begun and awaited. */
  default boolean isCollective() {
    return false;
  }

  /** Returns whether other processes read the input, so that it must be memory they can reach. */
  default boolean isReadByPeers() {
    return false;
  }

  /** Returns whether all ranks that read an input can reach it where it is. */
  default boolean reaches(MemorySegment in) {
    return true;
  }

  default long workspaceBytes() {
    return 0;
  }

  /** Returns the bytes of messages and tables that it has now. */
  default long bufferBytes() {
    return 0;
  }

  /** Begins; what is not collective has ended then. */
  void start(MemorySegment in, MemorySegment out, MemorySegment workspace);

  /** Ends what was begun. */
  default void await() {}

  @Override
  default void close() {}

  /**
   * All lines along one axis.
   *
   * @param stream where a device's are executed; null on the host
   */
  record Lines(FftPlan plan, int axis, String engine, @Nullable Stream stream) implements Stage {
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
      if (stream == null) {
        plan.execute(in, out, workspace);
      } else {
        plan.execute(in, out, workspace, stream);
      }
    }

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

  /** The lines of an array without elements, which have no points. */
  record Nothing(int axis) implements Stage {
    @Override
    public long inBytes() {
      return 0;
    }

    @Override
    public long outBytes() {
      return 0;
    }

    @Override
    public void start(MemorySegment in, MemorySegment out, MemorySegment workspace) {}

    @Override
    public String toString() {
      return "axis %d: no points".formatted(axis);
    }
  }

  /** Several axes at once, in a device's memory. */
  record Box(Work work, FftBox box, String engine, Stream stream) implements Stage {
    @Override
    public long inBytes() {
      return box.inBytes();
    }

    @Override
    public long outBytes() {
      return box.outBytes();
    }

    @Override
    public boolean inPlace() {
      return box.kind().complexInput() == box.kind().complexOutput();
    }

    @Override
    public long workspaceBytes() {
      return work.workspaceBytes();
    }

    @Override
    public void start(MemorySegment in, MemorySegment out, MemorySegment workspace) {
      work.execute(in, out, workspace, stream);
    }

    @Override
    public void close() {
      work.close();
    }

    @Override
    public String toString() {
      return "the last %d axes at once: %s of %s points, %d of them, engine %s"
          .formatted(box.extents().size(), box.kind(), box.extents(), box.batch(), engine);
    }
  }

  /** The array in another distribution. Closing is collective, but not after a failure. */
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
    public boolean isCollective() {
      return true;
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
    public long bufferBytes() {
      return exchange.bufferBytes();
    }

    @Override
    public void close() {
      exchange.close();
    }

    @Override
    public String toString() {
      return "%s, %,d elements leave this rank, scheme %s"
          .formatted(exchange.plan().name(), exchange.plan().sentCount(), exchange.scheme());
    }
  }
}
