package dev.rialto.exchange.transport;

/**
 * A tournament of ranks: in each round every rank has one partner, and after all rounds each pair
 * has met once.
 *
 * <p>The circle method: one rank stands still and the others move one place each round. With an odd
 * number of ranks a place stays empty, and the rank opposite it rests.
 */
final class PairwiseSchedule {
  private PairwiseSchedule() {}

  static int rounds(int ranks) {
    return ranks + (ranks & 1) - 1;
  }

  /** Returns a rank's partner in a round; the rank itself if it rests. */
  static int partner(int ranks, int rank, int round) {
    int places = ranks + (ranks & 1);
    int moving = places - 1;
    int partner;
    if (rank == moving) {
      partner = round;
    } else if (rank == round) {
      partner = moving;
    } else {
      partner = Math.floorMod(2 * round - rank, moving);
    }
    return partner < ranks ? partner : rank;
  }
}
