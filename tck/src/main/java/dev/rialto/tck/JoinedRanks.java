package dev.rialto.tck;

import dev.rialto.spi.World;
import java.util.List;
import java.util.function.IntConsumer;

/** The world that this process was launched into as one of its ranks. */
final class JoinedRanks implements Ranks {
  private final World world;
  private final IntConsumer farewell;
  private volatile boolean ran;
  private volatile boolean spent;

  /**
   * Uses a world for one requirement.
   *
   * @param farewell is told of a rank that is about to be killed
   */
  JoinedRanks(World world, IntConsumer farewell) {
    this.world = world;
    this.farewell = farewell;
  }

  @Override
  public List<Integer> counts() {
    return List.of(world.size());
  }

  @Override
  public void run(int atLeast, int atMost, World.RankBody body) {
    if (world.size() < atLeast || world.size() > atMost) {
      throw NotRun.needsRanks(atLeast, atMost);
    }
    RankFailures.run(world, body);
    ran = true;
  }

  @Override
  public World open(int ranks) {
    if (ranks != world.size()) {
      throw new NotRun("needs a world of " + ranks + " ranks");
    }
    spent = true;
    return world;
  }

  /** Halts with code 0: a bad one would make the launcher end the ranks that are to notice. */
  @Override
  public Error kill(int rank) {
    farewell.accept(rank);
    Runtime.getRuntime().halt(0);
    throw new AssertionError("this process has halted");
  }

  /** Does nothing: a process whose time is up is ended. */
  @Override
  public void abort(String reason) {}

  @Override
  public List<Integer> ran() {
    return ran || spent ? counts() : List.of();
  }

  boolean spent() {
    return spent;
  }
}
