package dev.rialto.tck;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Capability;
import dev.rialto.spi.Probe;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.PeerFailedException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Phaser;

/** The least that has ranks: they can wait for one another, and nothing else. */
public final class FakeBackend implements BackendProvider {
  @Override
  public String name() {
    return "fake";
  }

  @Override
  public String description() {
    return "ranks that meet";
  }

  @Override
  public Probe probe() {
    return new Probe.Available(List.of(), List.of());
  }

  @Override
  public Set<Capability> capabilities() {
    return Set.of(Capability.COLLECTIVES);
  }

  @Override
  public World openWorld(int ranks) {
    return new FakeWorld(ranks);
  }

  private record FakeWorld(int size) implements World {
    @Override
    public <T> List<T> call(RankFunction<T> function) {
      Phaser meeting = new Phaser(size);
      List<CompletableFuture<T>> results = new ArrayList<>();
      for (int rank = 0; rank < size; rank++) {
        CompletableFuture<T> result = new CompletableFuture<>();
        results.add(result);
        FakeCommunicator comm = new FakeCommunicator(rank, size, meeting);
        Thread.ofPlatform()
            .daemon()
            .name("rank " + rank)
            .start(
                () -> {
                  try {
                    result.complete(function.run(comm));
                  } catch (Throwable e) {
                    meeting.forceTermination();
                    result.completeExceptionally(e);
                  }
                });
      }
      try {
        return results.stream().map(CompletableFuture::join).toList();
      } catch (CompletionException e) {
        throw new CommunicationException("a rank failed", "", "", e.getCause());
      }
    }

    @Override
    public void close() {}
  }

  private record FakeCommunicator(int rank, int size, Phaser meeting) implements Communicator {
    @Override
    public String name() {
      return "fake/world";
    }

    @Override
    public Set<Capability> capabilities() {
      return Set.of(Capability.COLLECTIVES);
    }

    @Override
    public void barrier() {
      if (meeting.arriveAndAwaitAdvance() < 0) {
        throw new PeerFailedException("barrier", "rank " + rank, "", null);
      }
    }

    @Override
    public void abort(String reason) {
      meeting.forceTermination();
    }

    @Override
    public void close() {}
  }
}
