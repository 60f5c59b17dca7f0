package dev.rialto.tck.run;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Ranks that are threads of this process: a fresh world for each number of ranks. */
public final class ThreadRanks implements Ranks {
  private final BackendProvider backend;
  private final List<Integer> counts;
  private final List<Integer> ran = new CopyOnWriteArrayList<>();
  private final Set<Communicator> running = ConcurrentHashMap.newKeySet();

  public ThreadRanks(BackendProvider backend, List<Integer> counts) {
    this.backend = backend;
    this.counts = counts;
  }

  @Override
  public List<Integer> counts() {
    return counts;
  }

  @Override
  public void run(int atLeast, int atMost, World.RankBody body) {
    List<Integer> fitting = counts.stream().filter(n -> n >= atLeast && n <= atMost).toList();
    if (fitting.isEmpty()) {
      throw NotRun.needsRanks(atLeast, atMost);
    }
    for (int ranks : fitting) {
      try (World world = backend.openWorld(ranks)) {
        RankFailures.run(world, watched(body));
      }
      if (!ran.contains(ranks)) {
        ran.add(ranks);
      }
    }
  }

  private World.RankBody watched(World.RankBody body) {
    return comm -> {
      running.add(comm);
      try {
        body.run(comm);
      } finally {
        running.remove(comm);
      }
    };
  }

  @Override
  public World open(int ranks) {
    return backend.openWorld(ranks);
  }

  @Override
  public Error kill(int rank) {
    throw new Killed(rank);
  }

  @Override
  public void abort(String reason) {
    running.forEach(comm -> comm.abort(reason));
  }

  @Override
  public List<Integer> ran() {
    return List.copyOf(ran);
  }
}
