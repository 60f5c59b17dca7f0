package dev.rialto.local.rank;

/**
 * Judges from counters, looked at now and then, whether ranks that are all parked will stay so.
 *
 * <p>The grace period is cut into rounds. In each, every parked rank must have polled in vain: a
 * rank that the operating system kept from running has not, so a busy machine raises no alarm, and
 * a machine that stood still for longer than the whole period has lost one round only.
 */
final class Standstill {
  private static final int ROUNDS = 4;

  private final long roundNanos;
  private final long[] polls;
  private long steps = -1;
  private long since;
  private int rounds;

  Standstill(int ranks, long graceNanos) {
    this.roundNanos = graceNanos / ROUNDS;
    this.polls = new long[ranks];
  }

  /** Begins anew: a rank is running. */
  void reset() {
    steps = -1;
    rounds = 0;
  }

  /**
   * Takes note of all ranks' counters.
   *
   * @param newSteps the steps that all ranks have taken
   * @param newPolls how often each rank has polled; a rank that has finished needs no poll and
   *     counts further by itself
   */
  void note(long newSteps, long[] newPolls, long now) {
    if (newSteps != steps) {
      steps = newSteps;
      rounds = 0;
      startRound(newPolls, now);
    } else if (now - since >= roundNanos && allDiffer(newPolls)) {
      rounds++;
      startRound(newPolls, now);
    }
  }

  /** Returns whether the ranks have stood still for the grace period. */
  boolean lasts() {
    return rounds >= ROUNDS;
  }

  private void startRound(long[] newPolls, long now) {
    since = now;
    System.arraycopy(newPolls, 0, polls, 0, polls.length);
  }

  private boolean allDiffer(long[] newPolls) {
    for (int i = 0; i < polls.length; i++) {
      if (newPolls[i] == polls[i]) {
        return false;
      }
    }
    return true;
  }
}
