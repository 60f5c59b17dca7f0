package dev.rialto.local.rank;

/**
 * The time that a rank spins and yields before it parks.
 *
 * @param fewestSpins polls in a row when spinning does not pay
 * @param mostSpins polls in a row when it does
 * @param napNanos the longest a thread parks before it looks around
 */
public record Patience(int fewestSpins, int mostSpins, long napNanos) {
  /** A yield is this short only if no other thread wanted the core. */
  private static final long AT_ONCE_NANOS = 20_000;

  /** Ranks that share cores yield at once: the rank that they wait for needs the core. */
  public static Patience of(int ranks, long deadlockNanos) {
    long nap = deadlockNanos == 0 ? 100_000_000L : Math.clamp(deadlockNanos / 10, 1, 100_000_000L);
    return ranks <= Runtime.getRuntime().availableProcessors()
        ? new Patience(50, 1000, nap)
        : new Patience(50, 50, nap);
  }

  /**
   * Returns how often to yield after spinning: where cores are scarce, a thread that sleeps and is
   * woken gets one sooner than a thread that keeps asking.
   */
  int yieldsAfter(int spins) {
    return spins == fewestSpins ? 20 : 2 * spins;
  }

  /**
   * Returns how often to spin after a wait for which {@code spins} polls were not enough: more if
   * it was over soon after, less if the time went to others, which then need this core too.
   */
  int spinsAfter(int spins, long nanosYielding) {
    return nanosYielding < AT_ONCE_NANOS
        ? Math.min(2 * spins, mostSpins)
        : Math.max(spins / 2, fewestSpins);
  }
}
