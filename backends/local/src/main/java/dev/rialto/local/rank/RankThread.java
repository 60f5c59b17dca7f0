package dev.rialto.local.rank;

import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/** The thread of one rank, which runs one body after the other. */
public final class RankThread {
  public final Thread thread;
  private final AtomicReference<Runnable> body = new AtomicReference<>();
  private boolean stopped;

  RankThread(int rank, Bystanders bystanders) {
    thread =
        Thread.ofPlatform()
            .name("rialto-rank-" + rank)
            .daemon()
            .inheritInheritableThreadLocals(false)
            .unstarted(
                () -> {
                  bystanders.watchChildren();
                  while (!stopped) {
                    next().run();
                  }
                });
    thread.start();
  }

  /** Runs {@code next}; the one before it has ended. */
  public void submit(Runnable next) {
    body.set(next);
    LockSupport.unpark(thread);
  }

  public void stop() {
    submit(() -> stopped = true);
  }

  private Runnable next() {
    while (true) {
      Runnable next = body.getAndSet(null);
      if (next != null) {
        return next;
      }
      LockSupport.park(this);
      if (body.get() == null) {
        // An interrupt that comes between two bodies is for neither.
        Thread.interrupted();
      }
    }
  }
}
