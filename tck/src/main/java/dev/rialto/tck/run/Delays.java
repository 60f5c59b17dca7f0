package dev.rialto.tck.run;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.comm.Window;
import dev.rialto.tck.Intercepted;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Waits for a random while before each call to a communicator, to try other interleavings. */
public final class Delays implements Intercepted.Interceptor {
  private static final Set<String> ACCESSORS =
      Set.of("name", "rank", "size", "capabilities", "maxTag");

  private final Random random;
  private final long most;

  private Delays(long seed, Duration most) {
    this.random = new Random(seed);
    this.most = most.toNanos();
  }

  /** Returns {@code backend} with delays of up to {@code most}, or as it is for none. */
  public static BackendProvider in(BackendProvider backend, long seed, Duration most) {
    return most.isZero() ? backend : Intercepted.of(backend, new Delays(seed, most));
  }

  @Override
  public @Nullable Object intercept(Intercepted.Call call) throws Throwable {
    boolean communicates =
        switch (call.target()) {
          case Communicator _, Request _, Topology _, Window _ -> true;
          default -> false;
        };
    if (communicates && !ACCESSORS.contains(call.method().getName())) {
      LockSupport.parkNanos(random.nextLong(most));
    }
    return call.proceed();
  }
}
