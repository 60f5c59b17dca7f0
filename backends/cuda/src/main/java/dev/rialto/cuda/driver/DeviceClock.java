package dev.rialto.cuda.driver;

/**
 * Tells times of a GPU's events on the clock of {@link System#nanoTime}.
 *
 * <p>The driver tells times between two events, as a float of milliseconds. So one event is put on
 * an idle stream, waited for, and read together with the host's clock; anew after a second, for a
 * float has no more than 24 bits. That pair is some microseconds apart, and so are a GPU's times
 * from the host's; times of one second are exact to half a microsecond among themselves.
 */
public final class DeviceClock {
  private static final long RENEW_NANOS = 1_000_000_000;

  private final CudaContext context;
  private long stream;
  private long event;
  private long base;

  public DeviceClock(CudaContext context) {
    this.context = context;
  }

  /** Returns when an event that has ended took place; the caller is in the context. */
  public synchronized long nanos(long ended) {
    if (stream == 0 || System.nanoTime() - base > RENEW_NANOS) {
      renew();
    }
    return base + Math.round(DriverStreams.elapsed(event, ended) * 1e6);
  }

  private void renew() {
    context.enter();
    if (stream == 0) {
      stream = DriverStreams.createStream(0);
      event = DriverStreams.createEvent(true);
    }
    Driver.check(DriverStreams.record(event, stream), "reading the GPU's clock");
    Driver.check(DriverStreams.synchronizeEvent(event), "reading the GPU's clock");
    base = System.nanoTime();
  }
}
