package dev.rialto.mpi;

import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import java.time.Duration;
import java.util.function.Supplier;

/** A persistent operation of a library that has none of the kind: each start begins a new one. */
final class Restarted implements PersistentRequest {
  private final MpiGroup group;
  private final Supplier<Request> begin;
  private final Operation operation;
  private Request current = Done.REQUEST;

  /** Whether nobody has seen the end of the last start: only then may there be another. */
  private boolean active;

  private boolean closed;

  Restarted(MpiGroup group, Supplier<Request> begin, Operation operation) {
    this.group = group;
    this.begin = begin;
    this.operation = operation;
    group.began();
  }

  @Override
  public void start() {
    if (closed || active) {
      throw new IllegalStateException(
          operation + " is " + (closed ? "closed" : "active; await it before the next start"));
    }
    current = begin.get();
    active = true;
  }

  @Override
  public boolean test() {
    boolean done = current.test();
    active &= !done;
    return done;
  }

  @Override
  public Status await() {
    Status status = current.await();
    active = false;
    return status;
  }

  @Override
  public Status await(Duration limit) {
    Status status = current.await(limit);
    active = false;
    return status;
  }

  @Override
  public boolean cancel() {
    return false;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      try {
        current.close();
      } finally {
        group.ended();
      }
    }
  }
}
