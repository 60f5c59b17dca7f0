package dev.rialto.runtime;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * A profile being taken: collects what ends between two positions of each stream.
 *
 * <p>The streams are not drained: a thread of its own waits for the last position and completes the
 * result.
 */
final class Profiling {
  private record Seen(long position, Profile.Entry entry) {}

  private final ComputeDevice device;
  private final Map<String, Long> from = new HashMap<>();
  private final List<Seen> seen = new ArrayList<>();
  private boolean bodyRuns = true;

  private Profiling(ComputeDevice device) {
    this.device = device;
    device.streams().forEach(stream -> from.put(stream.name(), stream.timeline().position()));
  }

  static CompletableFuture<Profile> of(ComputeDevice device, Runnable body) {
    Profiling profiling = new Profiling(device);
    device.begin(profiling);
    try {
      body.run();
    } catch (Throwable e) {
      device.end(profiling);
      throw e;
    }
    profiling.bodyEnded();
    Map<ComputeStream, Long> to = new HashMap<>();
    device.streams().forEach(stream -> to.put(stream, stream.timeline().position()));
    CompletableFuture<Profile> result = new CompletableFuture<>();
    Thread.ofVirtual().name("rialto-profile").start(() -> profiling.finish(to, result));
    return result;
  }

  private void finish(Map<ComputeStream, Long> to, CompletableFuture<Profile> result) {
    try {
      to.forEach((stream, position) -> stream.timeline().awaitReached(position));
      Map<String, Long> last = new HashMap<>();
      to.forEach((stream, position) -> last.put(stream.name(), position));
      synchronized (this) {
        result.complete(
            new Profile(
                seen.stream()
                    .filter(
                        s -> s.position() <= last.getOrDefault(s.entry().stream(), Long.MAX_VALUE))
                    .map(Seen::entry)
                    .toList()));
      }
    } catch (RuntimeException e) {
      result.completeExceptionally(e);
    } finally {
      device.end(this);
    }
  }

  private synchronized void bodyEnded() {
    bodyRuns = false;
  }

  synchronized void take(long position, Profile.Entry entry) {
    if (position > from.getOrDefault(entry.stream(), 0L)) {
      seen.add(new Seen(position, entry));
    }
  }

  /** Takes a copy that the host made itself, so that no stream has a position for it. */
  synchronized void takeFromHost(Profile.Entry entry) {
    if (bodyRuns) {
      seen.add(new Seen(0, entry));
    }
  }
}
