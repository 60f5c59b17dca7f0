package dev.rialto.mpi.collective;

import dev.rialto.mpi.message.MpiRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import java.time.Duration;

/**
 * A collective that was begun together with the exchange of its signatures: it is complete when
 * both are. If ranks disagree the exchange gives it up, as it may never be complete; then its
 * communicator is only good for being closed, unlike after a collective that waits.
 */
record AgreedRequest(SignatureExchange exchange, MpiRequest request) implements Request {
  @Override
  public boolean test() {
    return exchange.test() && request.test();
  }

  @Override
  public Status await() {
    exchange.await();
    return request.await();
  }

  @Override
  public Status await(Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    exchange.await(limit);
    return request.await(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
  }

  @Override
  public boolean cancel() {
    return false;
  }

  @Override
  public void close() {
    exchange.close();
    request.close();
  }
}
