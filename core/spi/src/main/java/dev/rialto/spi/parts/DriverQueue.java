package dev.rialto.spi.parts;

/**
 * An in-order queue of a device's driver, as {@link DeviceStream} uses it: marks tell whether the
 * device has come to a place, clocks also when. Both are handles of the driver's.
 *
 * <p>Calls come from any thread that has called {@link #enter} before.
 */
public interface DriverQueue {
  /** Returns the driver's handle of the queue. */
  long handle();

  /** Prepares the calling thread for calls of the driver. */
  default void enter() {}

  /** Waits for all that was given to the driver; throws if something of it failed. */
  void synchronize();

  /**
   * Sets a mark behind what was given to the driver.
   *
   * @param spare a mark that is not asked any longer and that may be set again, or 0
   */
  long mark(long spare);

  /** Returns whether the device has passed a mark; throws if what came before it failed. */
  boolean isPassed(long mark);

  /** Waits until the device has passed a mark; throws if what came before it failed. */
  void awaitPassed(long mark);

  /** Gives a mark back that will not be asked any longer. */
  void dropMark(long mark);

  /** Makes what is given to the driver from now on wait for a mark of another queue. */
  void waitForMark(long mark);

  /** Returns whether the device can wait for the marks of another queue of the same backend. */
  boolean canWaitFor(DriverQueue other);

  /** Sets a mark that tells when the device passed it. */
  long clock();

  /** Returns when the device passed a clock, as {@link System#nanoTime} counts. */
  long nanos(long clock);

  /** Gives a clock back. */
  void dropClock(long clock);

  /** Gives the queue back to the driver; nothing is in it. */
  void end();
}
