package dev.rialto.sparse;

import dev.rialto.array.Team;
import dev.rialto.exchange.Exchange;
import dev.rialto.exchange.plan.ExchangePlan;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The updates of a team that are under way, in the order in which all ranks started them. They are
 * completed in that order, whichever a rank awaits first: completing one may wait for ranks that
 * have not come so far, and two ranks that went by orders of their own would wait for each other.
 */
final class StartedUpdates implements AutoCloseable {
  private final Team team;
  private final Deque<StartedUpdate> underWay = new ArrayDeque<>();

  /** Those whose result found no array to go to, until they are awaited. */
  private final Set<StartedUpdate> unheard = new LinkedHashSet<>();

  private boolean closed;

  private StartedUpdates(Team team) {
    this.team = team;
  }

  static StartedUpdates of(Team team) {
    return team.kept(StartedUpdates.class, "updates", () -> new StartedUpdates(team));
  }

  /** Starts an update in memory of the map's; completes those before that use its exchange. */
  StartedUpdate start(
      ExchangePlan plan, HaloMemory.Kind kind, MemorySegment memory, Runnable result) {
    try (Team.Step _ = team.step(plan)) {
      Exchange exchange = kind.map().nextStarted(plan, kind.type());
      while (exchange.isStarted()) {
        completeFirst();
      }
      StartedUpdate update = new StartedUpdate(this, kind, memory, exchange, result);
      exchange.start(memory, memory);
      underWay.add(update);
      return update;
    }
  }

  /** Completes updates until one is complete. */
  void complete(StartedUpdate last) {
    if (closed) {
      throw new IllegalStateException(
          last + ": the team is closed, which completed it; await it before");
    }
    try (Team.Step _ = team.step(last)) {
      while (!last.isComplete()) {
        completeFirst();
      }
    }
  }

  private void completeFirst() {
    StartedUpdate first = underWay.remove();
    try {
      first.complete();
      if (first.failure() != null) {
        unheard.add(first);
      }
    } catch (RuntimeException | Error e) {
      // Other ranks may not come any further, and those that wait for this one are told.
      underWay.forEach(update -> update.fail(e));
      underWay.clear();
      team.exchanger().fail(e);
      throw e;
    }
  }

  boolean isClosed() {
    return closed;
  }

  /** Takes note that the caller awaited an update, and so got its failure. */
  void heard(StartedUpdate update) {
    unheard.remove(update);
  }

  /**
   * Completes what is under way.
   *
   * @throws IllegalStateException if one failed that was not awaited
   */
  @Override
  public void close() {
    closed = true;
    while (!underWay.isEmpty()) {
      completeFirst();
    }
    @Nullable IllegalStateException first = null;
    for (StartedUpdate update : unheard) {
      IllegalStateException failed = update.failed();
      if (first == null) {
        first = failed;
      } else {
        first.addSuppressed(failed);
      }
    }
    if (first != null) {
      throw first;
    }
  }

  @Override
  public String toString() {
    return "updates under way";
  }
}
