package dev.rialto.local;

import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.DeadlockException;
import dev.rialto.spi.error.PeerFailedException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * What went wrong in a world. The first failure ends it; every wait and every operation looks at
 * one word to learn of it. Recording allocates nothing, so that running out of memory is told like
 * any other failure.
 */
final class Failures {
  private static final int NONE = -1;

  /** What each rank threw and, last, what befell the world as a whole. */
  private final @Nullable Throwable[] thrown;

  private final AtomicInteger first = new AtomicInteger(NONE);

  Failures(int ranks) {
    thrown = new Throwable[ranks + 1];
  }

  /** Records what a rank threw, or what ends the world; returns whether it is the first. */
  boolean record(int rank, Throwable cause) {
    if (thrown[rank] == null) {
      thrown[rank] = cause;
    }
    return first.compareAndSet(NONE, rank);
  }

  /** Records what no single rank is to blame for; returns whether it is the first. */
  boolean recordForAll(Throwable cause) {
    return record(thrown.length - 1, cause);
  }

  /** Returns what ended the world, or null if nothing has. */
  @Nullable Throwable first() {
    int index = first.get();
    return index == NONE ? null : thrown[index];
  }

  /** Throws if the world has failed; {@code rank} is the one that asks. */
  void check(Rank rank) {
    if (first.get() != NONE) {
      throw toldTo(rank);
    }
  }

  private CommunicationException toldTo(Rank rank) {
    Throwable cause = first();
    if (cause instanceof DeadlockException && first.get() == thrown.length - 1) {
      return new DeadlockException(String.valueOf(cause.getMessage()), rank.toString(), "", cause);
    }
    return new PeerFailedException(blamed() + " failed: " + cause, rank.toString(), "", cause);
  }

  private String blamed() {
    return first.get() == thrown.length - 1 ? "the world" : "rank " + first.get();
  }

  /** Throws what the caller of a world's run is to see, if the world has failed. */
  void throwFirst() {
    Throwable cause = first();
    if (cause == null) {
      return;
    }
    CommunicationException failure =
        new CommunicationException(blamed() + " failed: " + cause, "", "", cause);
    for (Throwable other : thrown) {
      if (other != null && !isConsequence(other, cause)) {
        failure.addSuppressed(other);
      }
    }
    throw failure;
  }

  /** Ranks that threw because the world failed have its failure among their causes. */
  private static boolean isConsequence(Throwable other, Throwable cause) {
    for (Throwable each = other; each != null; each = each.getCause()) {
      if (each.equals(cause)) {
        return true;
      }
    }
    return false;
  }
}
