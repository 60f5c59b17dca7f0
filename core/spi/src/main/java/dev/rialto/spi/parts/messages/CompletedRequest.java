package dev.rialto.spi.parts.messages;

import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import java.time.Duration;

/** The request of what is complete already. */
public enum CompletedRequest implements Request {
  REQUEST;

  @Override
  public boolean test() {
    return true;
  }

  @Override
  public Status await() {
    return Status.EMPTY;
  }

  @Override
  public Status await(Duration limit) {
    return Status.EMPTY;
  }

  @Override
  public boolean cancel() {
    return false;
  }

  @Override
  public void close() {}
}
