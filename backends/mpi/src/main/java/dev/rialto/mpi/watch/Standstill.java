package dev.rialto.mpi.watch;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Judges from the ranks' counters, looked at now and then, whether ranks that wait for one another
 * will go on doing so: all of them, or some of which each waits for a message of the next, whatever
 * the others do.
 *
 * <p>The time that it takes is cut into rounds. In each, every one of them must have looked in vain
 * for what it waits for: a rank that the operating system kept from running has not, so a busy
 * machine raises no alarm. Messages that are long take more rounds, as nothing tells whether they
 * move.
 */
final class Standstill {
  private static final long ROUND_NANOS = Duration.ofMillis(500).toNanos();
  private static final int ROUNDS = 4;

  /** The bytes that a slow network moves in a round. */
  private static final long BYTES_PER_ROUND = 10L << 20;

  private final int own;
  private final int[] all;
  private final long[] beats;
  private int[] ranks = {};
  private long steps = -1;
  private long since;
  private long rounds;

  /** Begins to judge for a rank. */
  Standstill(int ranks, int own) {
    this.own = own;
    this.all = IntStream.range(0, ranks).toArray();
    this.beats = new long[ranks];
  }

  /** Returns the ranks that wait for one another. */
  int[] ranks() {
    return ranks.clone();
  }

  /**
   * Takes note of the ranks' states.
   *
   * @return whether some have stood still for long enough to tell
   */
  boolean lasts(RankBoard board, long now) {
    int[] waiting = waiting(board);
    if (!Arrays.equals(waiting, ranks)) {
      ranks = waiting;
      steps = -1;
    }
    if (ranks.length == 0) {
      return false;
    }
    long newSteps = 0;
    long bytes = 0;
    boolean allLooked = true;
    for (int rank : ranks) {
      newSteps += board.steps(rank);
      bytes = Math.max(bytes, board.bytes(rank));
      boolean ended = board.state(rank) == RankBoard.State.ENDED;
      allLooked &= ended || board.beats(rank) != beats[rank];
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

  /**
   * Returns all ranks if none runs, else those in a circle with this one; none if there is none.
   */
  private int[] waiting(RankBoard board) {
    boolean anyRuns = false;
    for (int rank : all) {
      RankBoard.State state = board.state(rank);
      if (state == RankBoard.State.FAILED) {
        return new int[0];
      }
      anyRuns |= state == RankBoard.State.RUNNING;
    }
    return anyRuns ? circle(board) : all;
  }

  private int[] circle(RankBoard board) {
    int[] circle = new int[all.length];
    int count = 0;
    int rank = own;
    do {
      circle[count++] = rank;
      rank = board.awaited(rank);
    } while (rank >= 0 && rank != own && count < circle.length);
    return rank == own ? Arrays.stream(circle, 0, count).sorted().toArray() : new int[0];
  }

  private void startRound(RankBoard board, long now) {
    since = now;
    for (int rank : ranks) {
      beats[rank] = board.beats(rank);
    }
  }
}
