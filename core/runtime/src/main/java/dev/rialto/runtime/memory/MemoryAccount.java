package dev.rialto.runtime.memory;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * The live buffers of all pools whose memory comes from the same place, and the most they may be.
 *
 * <p>All of the host's memory is one account, whichever device's pools it is in; each device that
 * hides its memory has one of its own. Without a limit a request costs one look at it; with one,
 * the sum over all pools.
 */
public final class MemoryAccount {
  /** That of the host. */
  public static final MemoryAccount HOST = new MemoryAccount();

  private final List<MemoryPools> members = new CopyOnWriteArrayList<>();
  private volatile long limit = Long.MAX_VALUE;

  /** Limits the live buffers to so many bytes; those there are stay. */
  public void limit(long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException("a limit of " + bytes + " bytes; give 0 or more");
    }
    limit = bytes;
  }

  void add(MemoryPools pools) {
    members.add(pools);
  }

  void remove(MemoryPools pools) {
    members.remove(pools);
  }

  long limit() {
    return limit;
  }

  /** Returns whether so many bytes more would exceed the limit. */
  boolean exceeds(long more) {
    long most = limit;
    return most != Long.MAX_VALUE && more > most - used();
  }

  /** Returns the bytes of all live buffers. */
  public long used() {
    return members.stream().mapToLong(MemoryPools::used).sum();
  }
}
