package dev.rialto.local;

/**
 * How long a rank spins and yields before it parks.
 *
 * @param spins polls in a row
 * @param yields polls between which other threads may run
 * @param napNanos the longest a thread parks before it looks around
 */
record Patience(int spins, int yields, long napNanos) {
  /** Ranks that share cores give way at once: whoever they wait for needs the core. */
  static Patience of(int ranks, long deadlockNanos) {
    long nap = deadlockNanos == 0 ? 100_000_000L : Math.clamp(deadlockNanos / 10, 1, 100_000_000L);
    return ranks <= Runtime.getRuntime().availableProcessors()
        ? new Patience(1000, 2000, nap)
        : new Patience(50, 20, nap);
  }
}
