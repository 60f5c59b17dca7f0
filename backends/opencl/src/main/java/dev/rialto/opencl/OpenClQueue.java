package dev.rialto.opencl;

import dev.rialto.spi.parts.DriverQueue;

/** An in-order command queue: marks and clocks are events of markers. */
record OpenClQueue(OpenClContext context, long handle) implements DriverQueue {
  @Override
  public void synchronize() {
    QueueFunctions.finish(handle);
  }

  @Override
  public long mark(long spare) {
    if (spare != 0) {
      QueueFunctions.releaseEvent(spare);
    }
    return QueueFunctions.mark(handle);
  }

  @Override
  public boolean isPassed(long mark) {
    return QueueFunctions.isComplete(mark);
  }

  @Override
  public void awaitPassed(long mark) {
    QueueFunctions.await(mark);
  }

  @Override
  public void dropMark(long mark) {
    QueueFunctions.releaseEvent(mark);
  }

  @Override
  public void waitForMark(long mark) {
    QueueFunctions.waitFor(handle, mark);
  }

  /** Events are known in their own context only. */
  @Override
  public boolean canWaitFor(DriverQueue other) {
    return other instanceof OpenClQueue(OpenClContext of, long _) && of == context;
  }

  @Override
  public long clock() {
    return QueueFunctions.mark(handle);
  }

  @Override
  public long nanos(long clock) {
    return context.nanos(clock);
  }

  @Override
  public void dropClock(long clock) {
    QueueFunctions.releaseEvent(clock);
  }

  @Override
  public void end() {
    QueueFunctions.releaseQueue(handle);
  }
}
