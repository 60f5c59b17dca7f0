package dev.rialto.tck.generated;

import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import java.time.Duration;

/** The ways to complete a request. */
public final class Requests {
  private static final Duration LONG = Duration.ofMinutes(5);

  private Requests() {}

  /** Waits in one of the ways there are. */
  public static Status await(Request request, Draw draw) {
    return switch (draw.below(4)) {
      case 0 -> {
        while (!request.test()) {
          Thread.yield();
        }
        yield request.await();
      }
      case 1 -> request.await(LONG);
      default -> request.await();
    };
  }

  /** Waits and gives the request back. */
  public static Status complete(Request request, Draw draw) {
    try (request) {
      return await(request, draw);
    }
  }
}
