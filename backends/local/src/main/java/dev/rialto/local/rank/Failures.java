package dev.rialto.local.rank;

import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.DeadlockException;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.error.PeerFailedException;
import dev.rialto.spi.error.TimeoutException;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.jspecify.annotations.Nullable;

/**
 * The failures of a world. The first one ends it; every wait and every operation looks at one word
 * to learn of it. Recording allocates nothing, so that running out of memory is told like any other
 * failure.
 *
 * <p>What a rank throws is often only what another's failure did to it, and may be recorded first.
 * So failures are told apart by {@link Origin}, and the world's is the first of the best origin.
 */
public final class Failures {
  /** The origin of a failure; the earlier constant explains the later ones. */
  private enum Origin {
    /** The rank's own doing. */
    OWN,
    /** Ranks that did not meet, or one that gave up: maybe because it was failing already. */
    BETWEEN_RANKS,
    /** Another rank's failure. */
    PEER;

    static Origin of(Throwable failure) {
      Origin origin = OWN;
      Throwable each = failure;
      // Chains of causes may be circles.
      for (int depth = 0; each != null && depth < 100; depth++) {
        if (each instanceof PeerFailedException) {
          return PEER;
        }
        if (each instanceof DeadlockException
            || each instanceof MismatchException
            || each instanceof TimeoutException) {
          origin = BETWEEN_RANKS;
        }
        each = each.getCause();
      }
      return origin;
    }
  }

  private static final Origin[] ORIGINS = Origin.values();

  /**
   * The exceptions that ranks threw, those they aborted with and, last, that of the whole world.
   */
  private final @Nullable Throwable[] thrown;

  private final int ranks;

  /** For each origin, one more than the index of the first failure that came from there. */
  private final AtomicIntegerArray first = new AtomicIntegerArray(ORIGINS.length);

  private volatile boolean failed;

  public Failures(int ranks) {
    this.ranks = ranks;
    thrown = new Throwable[2 * ranks + 1];
  }

  /** Records what a rank threw. */
  public void record(int rank, Throwable cause) {
    record(rank, Origin.of(cause), cause);
  }

  /** Records that a rank gave up. What it throws afterwards is why. */
  public void recordAbort(int rank, Throwable reason) {
    record(ranks + rank, Origin.BETWEEN_RANKS, reason);
  }

  /** Records what no single rank is to blame for. */
  public void recordForAll(Throwable cause) {
    record(2 * ranks, Origin.of(cause), cause);
  }

  @SuppressWarnings("EnumOrdinal")
  private synchronized void record(int index, Origin origin, Throwable cause) {
    if (thrown[index] == null) {
      thrown[index] = cause;
      var _ = first.compareAndSet(origin.ordinal(), 0, index + 1);
      failed = true;
    }
  }

  public boolean failed() {
    return failed;
  }

  /** Returns the index of what ended the world, as far as is known now; -1 if nothing has. */
  private int firstIndex() {
    for (int i = 0; i < ORIGINS.length; i++) {
      if (first.get(i) > 0) {
        return first.get(i) - 1;
      }
    }
    return -1;
  }

  /** Returns what ended the world, or null if nothing has. */
  public @Nullable Throwable first() {
    int index = firstIndex();
    return index < 0 ? null : thrown[index];
  }

  /** Throws if the world has failed; {@code rank} is the one that asks. */
  public void check(Rank rank) {
    if (failed) {
      throw toldTo(rank);
    }
  }

  private CommunicationException toldTo(Rank rank) {
    int index = firstIndex();
    Throwable cause = thrown[index];
    if (cause instanceof DeadlockException && index == 2 * ranks) {
      return new DeadlockException(String.valueOf(cause.getMessage()), rank.toString(), "", cause);
    }
    return new PeerFailedException(blamed(index) + " failed: " + cause, rank.toString(), "", cause);
  }

  private String blamed(int index) {
    return index == 2 * ranks ? "the world" : "rank " + index % ranks;
  }

  /** Throws what the caller of a world's run is to see, if the world has failed. */
  public void throwFirst() {
    int index = firstIndex();
    Throwable cause = index < 0 ? null : thrown[index];
    if (cause == null) {
      return;
    }
    CommunicationException failure =
        new CommunicationException(blamed(index) + " failed: " + cause, "", "", cause);
    boolean explained = Origin.of(cause) != Origin.PEER;
    for (Throwable other : thrown) {
      if (other != null
          && !isConsequence(other, cause)
          && !(explained && Origin.of(other) == Origin.PEER)) {
        failure.addSuppressed(other);
      }
    }
    throw failure;
  }

  /** Ranks that threw because the world failed have its failure among their causes. */
  private static boolean isConsequence(Throwable other, Throwable cause) {
    Throwable each = other;
    for (int depth = 0; each != null && depth < 100; depth++) {
      if (each.equals(cause)) {
        return true;
      }
      each = each.getCause();
    }
    return false;
  }
}
