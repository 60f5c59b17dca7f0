package dev.rialto.cuda;

import dev.rialto.cuda.driver.ArgumentBlock;
import dev.rialto.cuda.driver.CudaContext;
import dev.rialto.cuda.driver.DeviceClock;
import dev.rialto.cuda.driver.Driver;
import dev.rialto.cuda.driver.DriverStreams;
import dev.rialto.spi.parts.DriverQueue;

/**
 * A stream of the driver: marks are events, clocks are events that have a time.
 *
 * @param arguments what launches on it are passed in, closed with it
 */
record CudaQueue(CudaContext context, DeviceClock times, long handle, ArgumentBlock arguments)
    implements DriverQueue {
  private static final String GPU_WORK = "work on the GPU";

  @Override
  public void enter() {
    context.enter();
  }

  @Override
  public void synchronize() {
    Driver.check(DriverStreams.synchronize(handle), GPU_WORK);
  }

  @Override
  public long mark(long spare) {
    long event = spare != 0 ? spare : context.takeEvent(false);
    Driver.check(DriverStreams.record(event, handle), GPU_WORK);
    return event;
  }

  @Override
  public boolean isPassed(long mark) {
    int result = DriverStreams.query(mark);
    if (result == Driver.NOT_READY) {
      return false;
    }
    Driver.check(result, GPU_WORK);
    return true;
  }

  @Override
  public void awaitPassed(long mark) {
    Driver.check(DriverStreams.synchronizeEvent(mark), GPU_WORK);
  }

  @Override
  public void dropMark(long mark) {
    context.giveEvent(mark, false);
  }

  @Override
  public void waitForMark(long mark) {
    DriverStreams.wait(handle, mark);
  }

  @Override
  public boolean canWaitFor(DriverQueue other) {
    return true;
  }

  @Override
  public long clock() {
    long event = context.takeEvent(true);
    Driver.check(DriverStreams.record(event, handle), "taking a time");
    return event;
  }

  @Override
  public long nanos(long event) {
    return times.nanos(event);
  }

  @Override
  public void dropClock(long event) {
    context.giveEvent(event, true);
  }

  @Override
  public void end() {
    arguments.close();
    DriverStreams.destroyStream(handle);
  }
}
