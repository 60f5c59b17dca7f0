package dev.rialto.spi.parts;

/**
 * A kernel that a driver has loaded on one device. It is unloaded when it was closed and the last
 * launch has gone to the driver.
 */
public abstract class DriverKernel implements AutoCloseable {
  /** The name, for messages. */
  protected final String name;

  private int users = 1;

  /** Names the kernel. */
  protected DriverKernel(String name) {
    this.name = name;
  }

  /** Gives the code back to the driver. */
  protected abstract void unload();

  /** Keeps the kernel loaded until {@link #release}; throws if it was closed and unloaded. */
  public final synchronized void retain() {
    if (users == 0) {
      throw new IllegalStateException("kernel " + name + " is closed");
    }
    users++;
  }

  /** Ends what {@link #retain} began. */
  public final void release() {
    synchronized (this) {
      if (--users > 0) {
        return;
      }
    }
    unload();
  }

  @Override
  public final void close() {
    release();
  }
}
