package dev.rialto.mpi.watch;

import java.time.Duration;

/**
 * Judges from the ranks' counters, looked at now and then, whether ranks that all wait will go on
 * doing so.
 *
 * <p>The time that it takes is cut into rounds. In each, every rank must have looked in vain for
 * what it waits for: a rank that the operating system kept from running has not, so a busy machine
 * raises no alarm. Messages that are long take more rounds, as nothing tells whether they move.
 */
final class Standstill {
  private static final long ROUND_NANOS = Duration.ofMillis(500).toNanos();
  private static final int ROUNDS = 4;

  /** The bytes that a slow network moves in a round. */
  private static final long BYTES_PER_ROUND = 10L << 20;

  private final long[] beats;
  private long steps = -1;
  private long since;
  private long rounds;

  Standstill(int ranks) {
    this.beats = new long[ranks];
  }

  /**
   * Takes note of all ranks' states.
   *
   * @return whether they have stood still for long enough to tell
   */
  boolean lasts(RankBoard board, long now) {
    long newSteps = 0;
    long bytes = 0;
    boolean allLooked = true;
    for (int rank = 0; rank < beats.length; rank++) {
      RankBoard.State state = board.state(rank);
      if (state == RankBoard.State.RUNNING || state == RankBoard.State.FAILED) {
        steps = -1;
        return false;
      }
      newSteps += board.steps(rank);
      bytes = Math.max(bytes, board.bytes(rank));
      allLooked &= state == RankBoard.State.ENDED || board.beats(rank) != beats[rank];
    }
    if (newSteps != steps) {
      steps = newSteps;
      rounds = 0;
      startRound(board, now);
    } else if (now - since >= ROUND_NANOS && allLooked) {
      rounds++;
      startRound(board, now);
    }
    return rounds >= ROUNDS + bytes / BYTES_PER_ROUND;
  }

  private void startRound(RankBoard board, long now) {
    since = now;
    for (int rank = 0; rank < beats.length; rank++) {
      beats[rank] = board.beats(rank);
    }
  }
}
