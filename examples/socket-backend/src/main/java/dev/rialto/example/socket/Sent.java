package dev.rialto.example.socket;

import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import java.time.Duration;

/** A send: complete from the start, since the link took the bytes before it returned. */
enum Sent implements Request {
  SENT;

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
