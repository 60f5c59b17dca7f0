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

  synchronized void take(
      String stream, Operation operation, long position, long added, long began, long ended) {
    if (position > from.getOrDefault(stream, 0L)) {
      // Something added before timing was on has no time of its own.
      long since = added == 0 ? began : added;
      seen.add(new Seen(position, new Profile.Entry(stream, operation, since, began, ended)));
    }
  }
}
