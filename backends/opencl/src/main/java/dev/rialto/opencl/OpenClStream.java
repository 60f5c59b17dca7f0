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
    OpenCl.finish(queue);
  }

  @Override
  protected long mark(long spare) {
    if (spare != 0) {
      OpenCl.releaseEvent(spare);
    }
    return OpenCl.mark(queue);
  }

  @Override
  protected boolean isPassed(long mark) {
    return OpenCl.isComplete(mark);
  }

  @Override
  protected void awaitPassed(long mark) {
    OpenCl.await(mark);
  }

  @Override
  protected void dropMark(long mark) {
    OpenCl.releaseEvent(mark);
  }

  @Override
  protected void waitForMark(long mark) {
    OpenCl.waitFor(queue, mark);
  }

  /** Events are known in their own context only. */
  @Override
  protected boolean canWaitFor(DeviceStream other) {
    return other instanceof OpenClStream stream && stream.context == context;
  }

  @Override
  protected long clock() {
    return OpenCl.mark(queue);
  }

  @Override
  protected long nanos(long clock) {
    return context.nanos(clock);
  }

  @Override
  protected void dropClock(long clock) {
    OpenCl.releaseEvent(clock);
  }

  @Override
  protected void end() {
    OpenCl.releaseQueue(queue);
  }
}
