package dev.rialto.cpu;

import static java.util.Objects.requireNonNull;

import java.util.LinkedHashSet;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Tasks that wait, how many have not ended, and those whose failure was not seen. */
final class TaskQueue {
  private final Queue<Task> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicLong unended = new AtomicLong();
  private final Set<Task> unseen = new LinkedHashSet<>();

  /** Counts a task that will be added or, after all, end. */
  void announce() {
    unended.incrementAndGet();
  }

  void add(Task task) {
    waiting.add(task);
  }

  @Nullable Task poll() {
    return waiting.poll();
  }

  boolean isEmpty() {
    return waiting.isEmpty();
  }

  void ended() {
    if (unended.decrementAndGet() == 0) {
      synchronized (unseen) {
        unseen.notifyAll();
      }
    }
  }

  void failed(Task task) {
    synchronized (unseen) {
      unseen.add(task);
    }
  }

  void seen(Task task) {
    synchronized (unseen) {
      unseen.remove(task);
    }
  }

  /** Waits until all announced tasks have ended; returns whether it was interrupted meanwhile. */
  boolean awaitAll() {
    boolean interrupted = false;
    synchronized (unseen) {
      while (unended.get() > 0) {
        try {
          unseen.wait();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    return interrupted;
  }

  /** Returns the first unseen failure, with the others suppressed in it. */
  @Nullable Throwable unseenFailure() {
    Throwable first = null;
    synchronized (unseen) {
      for (Task task : unseen) {
        Throwable failure = requireNonNull(task.failure());
        if (first == null) {
          first = failure;
        } else {
          Loop.suppress(first, failure);
        }
      }
    }
    return first;
  }
}
