package dev.rialto.opencl;

import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.parts.DeviceStream;

/** An in-order command queue: marks and clocks are events of markers. */
final class OpenClStream extends DeviceStream {
  private final OpenClContext context;
  private final long queue;

  private OpenClStream(OpenClContext context, long queue) {
    super("opencl", context.name(), queue);
    this.context = context;
    this.queue = queue;
  }

  static OpenClStream open(OpenClContext context) {
    return new OpenClStream(context, context.createQueue());
  }

  /** Returns the stream behind one that a caller passes, labelled or not. */
  static OpenClStream require(Stream stream) {
    return require(OpenClStream.class, "opencl", stream);
  }

  OpenClContext context() {
    return context;
  }

  @Override
  protected void synchronize() {
    QueueFunctions.finish(queue);
  }

  @Override
  protected long mark(long spare) {
    if (spare != 0) {
      QueueFunctions.releaseEvent(spare);
    }
    return QueueFunctions.mark(queue);
  }

  @Override
  protected boolean isPassed(long mark) {
    return QueueFunctions.isComplete(mark);
  }

  @Override
  protected void awaitPassed(long mark) {
    QueueFunctions.await(mark);
  }

  @Override
  protected void dropMark(long mark) {
    QueueFunctions.releaseEvent(mark);
  }

  @Override
  protected void waitForMark(long mark) {
    QueueFunctions.waitFor(queue, mark);
  }

  /** Events are known in their own context only. */
  @Override
  protected boolean canWaitFor(DeviceStream other) {
    return other instanceof OpenClStream stream && stream.context == context;
  }

  @Override
  protected long clock() {
    return QueueFunctions.mark(queue);
  }

  @Override
  protected long nanos(long clock) {
    return context.nanos(clock);
  }

  @Override
  protected void dropClock(long clock) {
    QueueFunctions.releaseEvent(clock);
  }

  @Override
  protected void end() {
    QueueFunctions.releaseQueue(queue);
  }
}
