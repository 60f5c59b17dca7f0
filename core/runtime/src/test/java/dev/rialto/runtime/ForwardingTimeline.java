package dev.rialto.runtime;

import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.exec.Timeline.Observer;

/** A timeline that passes everything on to another. */
class ForwardingTimeline extends ForwardingStream implements Timeline {
  final Timeline inner;

  ForwardingTimeline(Timeline inner) {
    super(inner);
    this.inner = inner;
  }

  private static Timeline innerOf(Timeline other) {
    return other instanceof ForwardingTimeline forwarding ? forwarding.inner : other;
  }

  @Override
  public long position() {
    return inner.position();
  }

  @Override
  public boolean isReached(long position) {
    return inner.isReached(position);
  }

  @Override
  public void awaitReached(long position) {
    inner.awaitReached(position);
  }

  @Override
  public boolean awaitReached(long position, long nanos) throws InterruptedException {
    return inner.awaitReached(position, nanos);
  }

  @Override
  public void raise(long position) {
    inner.raise(position);
  }

  @Override
  public Object pending() {
    return inner.pending();
  }

  @Override
  public void waitReached(Timeline other, long position) {
    inner.waitReached(innerOf(other), position);
  }

  @Override
  public void waitFor(Timeline other, long position) {
    inner.waitFor(innerOf(other), position);
  }

  @Override
  public Throwable failureAt(long position) {
    return inner.failureAt(position);
  }

  @Override
  public Stream labelled(Object label) {
    return inner.labelled(label);
  }

  @Override
  public void observe(Observer observer) {
    inner.observe(observer);
  }
}
