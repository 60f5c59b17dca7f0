package dev.rialto.tck;

import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * An operation that takes place later than its caller believes: when it is awaited or {@link
 * #begin} is called.
 */
final class LateRequest implements Request {
  private final Intercepted.Call call;
  private final boolean pretends;
  private @Nullable Request real;

  LateRequest(Intercepted.Call call, boolean pretends) {
    this.call = call;
    this.pretends = pretends;
  }

  synchronized Request begin() {
    try {
      if (real == null) {
        real = (Request) call.proceed();
      }
      return real;
    } catch (Throwable e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public boolean test() {
    return pretends || begin().test();
  }

  @Override
  public Status await() {
    return pretends ? Status.EMPTY : begin().await();
  }

  @Override
  public Status await(Duration limit) {
    return pretends ? Status.EMPTY : begin().await(limit);
  }

  @Override
  public boolean cancel() {
    return false;
  }

  @Override
  public void close() {
    if (!pretends) {
      begin().close();
    }
  }
}
