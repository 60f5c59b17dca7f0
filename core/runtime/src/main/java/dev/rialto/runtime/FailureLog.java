package dev.rialto.runtime;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** The latest failures of a device and the operations they came from. Thread-safe. */
final class FailureLog {
  private static final int KEPT = 64;

  /**
   * A failure.
   *
   * @param cause what was thrown
   * @param operation what threw it
   * @param stream where
   */
  record Entry(Throwable cause, Operation operation, String stream) {}

  private final Deque<Entry> latest = new ArrayDeque<>();

  /** Keeps where a failure came from; one that reached another stream keeps its origin. */
  synchronized void add(Throwable cause, Operation operation, String stream) {
    if (find(cause) == null) {
      latest.addFirst(new Entry(cause, operation, stream));
      if (latest.size() > KEPT) {
        latest.removeLast();
      }
    }
  }

  synchronized @Nullable Entry find(Throwable cause) {
    for (Entry entry : latest) {
      if (entry.cause().equals(cause)) {
        return entry;
      }
    }
    return null;
  }
}
