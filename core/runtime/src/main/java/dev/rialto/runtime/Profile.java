package dev.rialto.runtime;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The times at which operations ran, by the device's own clock; those that were skipped because
 * another failed are not among them.
 *
 * @param operations in the order in which they ended
 */
public record Profile(List<Entry> operations) {
  /**
   * One operation.
   *
   * @param stream where it ran
   * @param operation what it was
   * @param added when it was added, on the clock of {@link System#nanoTime}
   * @param began when it began
   * @param ended when it ended
   * @param failure what it threw, if it failed
   */
  public record Entry(
      String stream,
      Operation operation,
      long added,
      long began,
      long ended,
      Optional<Throwable> failure) {
    /** Returns how long it ran. */
    public Duration duration() {
      return Duration.ofNanos(ended - began);
    }
  }

  /** Copies the operations. */
  public Profile {
    operations = List.copyOf(operations);
  }

  /** Returns the time from the first beginning to the last end. */
  public Duration span() {
    if (operations.isEmpty()) {
      return Duration.ZERO;
    }
    long first =
        operations.stream()
            .mapToLong(Entry::began)
            .reduce((a, b) -> a - b < 0 ? a : b)
            .orElseThrow();
    long last =
        operations.stream()
            .mapToLong(Entry::ended)
            .reduce((a, b) -> a - b > 0 ? a : b)
            .orElseThrow();
    return Duration.ofNanos(last - first);
  }

  /** Returns the sum of the operations' times; on several streams it may exceed the span. */
  public Duration busy() {
    return operations.stream().map(Entry::duration).reduce(Duration.ZERO, Duration::plus);
  }
}
