package dev.rialto.cuda.driver;

import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * A GPU's primary context and its spare events.
 *
 * <p>CUDA has a current context per thread. Every operation enters its own first: that costs some
 * 30 ns, and is right whatever other libraries do on the same thread.
 */
public final class CudaContext {
  private final int ordinal;
  private final int device;
  private final long handle;

  /** Making an event takes longer than recording it, so those that are done with are kept. */
  private final ConcurrentLinkedQueue<Long> events = new ConcurrentLinkedQueue<>();

  private final ConcurrentLinkedQueue<Long> timers = new ConcurrentLinkedQueue<>();

  public CudaContext(int ordinal) {
    this.ordinal = ordinal;
    this.device = Driver.device(ordinal);
    this.handle = Driver.retainContext(device);
  }

  /** Returns the device's name, such as {@code cuda:0}. */
  public String name() {
    return "cuda:" + ordinal;
  }

  public int device() {
    return device;
  }

  /** Makes this the calling thread's. */
  public void enter() {
    Driver.setContext(handle);
  }

  /** Lets this GPU's kernels use the memory of another, where the machine can do that. */
  public void reach(CudaContext other) {
    if (other != this && DriverMemory.canReach(device, other.device)) {
      enter();
      DriverMemory.reach(other.handle);
    }
  }

  /** Takes an event without or with a time; the caller is in this context. */
  public long takeEvent(boolean timing) {
    Long spare = (timing ? timers : events).poll();
    return spare != null ? spare : DriverStreams.createEvent(timing);
  }

  /** Gives back an event that is not asked any longer. */
  public void giveEvent(long event, boolean timing) {
    (timing ? timers : events).add(event);
  }
}
