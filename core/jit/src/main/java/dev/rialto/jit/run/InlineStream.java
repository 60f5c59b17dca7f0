package dev.rialto.jit.run;

import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.exec.Event;
import dev.rialto.spi.exec.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The {@code sync} scheduler: an operation runs when it is added, on the thread that adds it. It
 * fails as other streams do: later, once, and the operations after it are skipped until then.
 */
final class InlineStream implements Stream {
  private final String name;
  private @Nullable Throwable failure;
  private boolean closed;

  InlineStream(String name) {
    this.name = name;
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public synchronized void run(Runnable operation) {
    if (closed) {
      throw new IllegalStateException(name + " is closed");
    }
    if (failure == null) {
      try {
        operation.run();
      } catch (RuntimeException | Error e) {
        failure = e;
      }
    }
  }

  @Override
  public Event record() {
    return new Event() {
      @Override
      public boolean isDone() {
        return true;
      }

      @Override
      public void await() {
        InlineStream.this.await();
      }
    };
  }

  @Override
  public void waitFor(Event event) {
    run(event::await);
  }

  @Override
  public boolean isIdle() {
    return true;
  }

  @Override
  public synchronized void await() {
    Throwable told = failure;
    failure = null;
    if (told != null) {
      throw new DeviceException("an operation failed: " + told.getMessage(), name, "", told);
    }
  }

  @Override
  public synchronized void close() {
    if (!closed) {
      closed = true;
      await();
    }
  }
}
