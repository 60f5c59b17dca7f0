package dev.rialto.runtime.memory;

import java.util.concurrent.atomic.AtomicLong;

/** The most bytes that one client may hold at once. Thread-safe. */
public final class Quota {
  private final long limit;
  private final AtomicLong used = new AtomicLong();

  /** Makes a quota of {@code limit} bytes. */
  public Quota(long limit) {
    if (limit < 0) {
      throw new IllegalArgumentException("a limit of " + limit + " bytes; give 0 or more");
    }
    this.limit = limit;
  }

  /** Returns the most bytes. */
  public long limit() {
    return limit;
  }

  /** Returns the bytes that are held. */
  public long used() {
    return used.get();
  }

  boolean take(long bytes) {
    long now;
    do {
      now = used.get();
      if (bytes > limit - now) {
        return false;
      }
    } while (!used.compareAndSet(now, now + bytes));
    return true;
  }

  /** Counts what cannot be refused any more. */
  void add(long bytes) {
    used.addAndGet(bytes);
  }

  void give(long bytes) {
    used.addAndGet(-bytes);
  }
}
