package dev.rialto.mpi.message;

import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import java.time.Duration;
import java.util.List;

/** An operation that was too large for one call and is several. */
public record ChunkedRequest(List<Request> parts) implements Request {
  public ChunkedRequest {
    parts = List.copyOf(parts);
  }

  @Override
  public boolean test() {
    boolean complete = true;
    for (Request part : parts) {
      complete &= part.test();
    }
    return complete;
  }

  @Override
  public Status await() {
    parts.forEach(Request::await);
    return Status.EMPTY;
  }

  @Override
  public Status await(Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    for (Request part : parts) {
      part.await(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
    }
    return Status.EMPTY;
  }

  @Override
  public boolean cancel() {
    return false;
  }

  @Override
  public void close() {
    parts.forEach(Request::close);
  }
}
