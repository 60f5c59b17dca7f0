package dev.rialto.local;

import dev.rialto.local.world.LocalCommunicator;
import dev.rialto.local.world.LocalWorld;
import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Capability;
import dev.rialto.spi.Probe;
import dev.rialto.spi.World;
import java.util.List;
import java.util.Set;

/**
 * The backend {@code local}: ranks are threads of this JVM and share its memory.
 *
 * <p>When all ranks of a world have waited for one another for a second, each gets a {@link
 * dev.rialto.spi.error.DeadlockException}. {@code -Drialto.local.deadlock.millis} sets another
 * time, or 0 to wait for ever. Waits with a time limit never count. Once a rank has started a
 * thread or another thread has used a communicator, three times as long must pass, and nothing is
 * thrown while such a thread may still act: one that has ended, waits in a communication too or is
 * an idle worker of a pool does not count. A thread that ranks wait for longer than that, and which
 * neither they nor the common pool started, needs the 0.
 */
public final class LocalBackend implements BackendProvider {
  /** Ranks know each other, so memory grows with the square: ten thousand take all of a machine. */
  private static final int MOST_RANKS = 1024;

  @Override
  public String name() {
    return "local";
  }

  @Override
  public String description() {
    return "ranks as threads of this JVM";
  }

  @Override
  public Probe probe() {
    return new Probe.Available(List.of("threads of this JVM"), List.of());
  }

  @Override
  public Set<Capability> capabilities() {
    return LocalCommunicator.CAPABILITIES;
  }

  @Override
  public World openWorld(int ranks) {
    if (ranks < 0) {
      throw new IllegalArgumentException(
          "a world of " + ranks + " ranks; give at least 1, or 0 for a single one");
    }
    if (ranks > MOST_RANKS) {
      throw new IllegalArgumentException(
          "a world of %d ranks that are threads; give at most %d".formatted(ranks, MOST_RANKS));
    }
    return new LocalWorld(Math.max(ranks, 1));
  }
}
