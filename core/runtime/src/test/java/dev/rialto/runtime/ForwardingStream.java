package dev.rialto.runtime;

import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.exec.Stream.Event;

/** A stream that passes everything on to another. */
class ForwardingStream implements Stream {
  private final Stream inner;

  ForwardingStream(Stream inner) {
    this.inner = inner;
  }

  @Override
  public String name() {
    return inner.name();
  }

  @Override
  public void run(Runnable operation) {
    inner.run(operation);
  }

  @Override
  public Event record() {
    return inner.record();
  }

  @Override
  public void waitFor(Event event) {
    inner.waitFor(event);
  }

  @Override
  public boolean isIdle() {
    return inner.isIdle();
  }

  @Override
  public void await() {
    inner.await();
  }

  @Override
  public void close() {
    inner.close();
  }
}
