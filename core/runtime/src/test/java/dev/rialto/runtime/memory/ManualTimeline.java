package dev.rialto.runtime.memory;

import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.exec.Stream.Event;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.exec.Timeline.Observer;

/** A timeline whose operations do nothing and end when the test says so. */
final class ManualTimeline implements Timeline {
  private long position;
  private long reached;

  /** Adds an operation and returns the position after it. */
  long add() {
    return ++position;
  }

  /** Ends the next operation, if there is one. */
  void advance() {
    reached = Math.min(reached + 1, position);
  }

  void advanceToEnd() {
    reached = position;
  }

  @Override
  public long position() {
    return position;
  }

  @Override
  public boolean isReached(long at) {
    return reached >= at;
  }

  @Override
  public void awaitReached(long at) {
    reached = Math.max(reached, at);
  }

  @Override
  public void waitFor(Timeline other, long at) {
    throw new AssertionError("memory makes no stream wait");
  }

  @Override
  public Throwable failureAt(long at) {
    return null;
  }

  @Override
  public Stream labelled(Object label) {
    return this;
  }

  @Override
  public void observe(Observer observer) {}

  @Override
  public String name() {
    return "manual";
  }

  @Override
  public void run(Runnable operation) {
    throw new AssertionError("memory runs nothing");
  }

  @Override
  public Event record() {
    throw new AssertionError("memory records nothing");
  }

  @Override
  public void waitFor(Event event) {
    throw new AssertionError("memory makes no stream wait");
  }

  @Override
  public boolean isIdle() {
    return reached == position;
  }

  @Override
  public void await() {
    advanceToEnd();
  }

  @Override
  public void close() {}
}
