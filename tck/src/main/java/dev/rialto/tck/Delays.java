package dev.rialto.tck;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.comm.Window;
import java.time.Duration;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Waits for a random while before each call to a communicator, to try other interleavings. */
final class Delays implements Intercepted.Interceptor {
  private static final Set<String> ACCESSORS =
      Set.of("name", "rank", "size", "capabilities", "maxTag");

  private final Random random;
  private final long most;

  Delays(long seed, Duration most) {
    this.random = new Random(seed);
    this.most = most.toNanos();
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
