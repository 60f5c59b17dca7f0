package dev.rialto.tck.run;

import dev.rialto.spi.Capability;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.error.PeerFailedException;
import java.util.List;

/** The world that this process was launched into as one of its ranks. */
final class JoinedRanks implements Ranks {
  private final World world;
  private volatile boolean ran;
  private volatile boolean spent;

  JoinedRanks(World world) {
    this.world = world;
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
    RankFailures.run(
        world,
        comm -> {
          body.run(comm);
          meet(comm);
        });
    ran = true;
  }

  /**
   * Keeps the rank in the library until all are done: some libraries complete what one rank has
   * sent only while the other is in a call of theirs.
   */
  private void meet(Communicator comm) {
    if (!spent && comm.capabilities().contains(Capability.COLLECTIVES)) {
      try {
        comm.barrier();
      } catch (PeerFailedException e) {
        // Told by the rank that failed.
      }
    }
  }

  @Override
  public World open(int ranks) {
    if (ranks != world.size()) {
      throw new NotRun("needs a world of " + ranks + " ranks");
    }
    spent = true;
    return world;
  }

  /**
   * Lets the rank fail, as a rank that is a thread does. Its process lives on until all ranks have
   * told what they saw: launchers end the others when one goes.
   */
  @Override
  public Error kill(int rank) {
    spent = true;
    return new Killed(rank);
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
