package dev.rialto.tck.run;

import dev.rialto.spi.World;
import java.util.List;

/** The ranks of one requirement: threads of this process or as processes. */
public interface Ranks {
  List<Integer> counts();

  /** Runs {@code body} for each of {@link #counts} from {@code atLeast} to {@code atMost}. */
  void run(int atLeast, int atMost, World.RankBody body);

  /** Opens a world, or uses up the one there is. */
  World open(int ranks);

  /** Returns what the calling rank is to throw to fail for no reason of its own. */
  Error kill(int rank);

  /** Frees ranks that wait for one another, so that a requirement whose time is up can end. */
  void abort(String reason);

  /** Returns the numbers of ranks that {@link #run} has done well with. */
  List<Integer> ran();
}
