package dev.rialto.jit.kernel.host;

import dev.rialto.jit.kernel.Item;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Items of a block of which one runs at a time, each up to its next meeting with others.
 *
 * <p>The calling thread runs one after the other; one that has to wait keeps its thread, and
 * another goes on with the next. So items that never meet cost no thread, and a turn is passed from
 * item to item by waking one thread.
 */
public final class RoundRobinThreads implements PlainItem.Meeting {
  private final Runnable[] bodies;
  private final Semaphore[] gates;
  private final boolean[] ended;
  private final Semaphore allEnded = new Semaphore(0);
  private final int[] barriers;
  private final int[] exchanges;

  /** The number of items that have begun, in the order of their numbers. */
  private int begun;

  /** Whether an item came further in this round of turns. */
  private boolean moved;

  private volatile @Nullable Throwable failure;

  public RoundRobinThreads(int count) {
    this.bodies = new Runnable[count];
    this.gates = new Semaphore[count];
    this.ended = new boolean[count];
    this.barriers = new int[count];
    this.exchanges = new int[count];
  }

  /** Says what an item does. */
  public void add(int number, Runnable body) {
    bodies[number] = body;
    gates[number] = new Semaphore(0);
  }

  @Override
  public void ofBlock(int item) {
    meet(item, barriers, 0, ended.length);
  }

  @Override
  public void ofSubgroup(int item) {
    int first = item - item % Item.SUBGROUP;
    meet(item, exchanges, first, Math.min(first + Item.SUBGROUP, ended.length));
  }

  @Override
  public boolean hasReturned(int item) {
    return ended[item];
  }

  /** Passes turns until all items from the first to the end have met as often as this one. */
  private void meet(int item, int[] met, int first, int end) {
    met[item]++;
    moved = true;
    boolean waiting = true;
    while (waiting) {
      pass(item);
      waiting = false;
      for (int i = first; i < end; i++) {
        waiting |= !ended[i] && met[i] < met[item];
      }
    }
    moved = true;
  }

  /** Ends the turn of an item; returns when the next one comes. */
  private void pass(int number) {
    if (begun < bodies.length) {
      Thread.ofVirtual().start(this::runRest);
    } else {
      gates[next(number)].release();
    }
    gates[number].acquireUninterruptibly();
    if (failure != null) {
      throw new IllegalStateException("another item of the block failed");
    }
  }

  /** Runs items that have not begun, then lets one go on that waits. */
  private void runRest() {
    int number = -1;
    while (begun < bodies.length) {
      number = begun++;
      try {
        bodies[number].run();
      } catch (RuntimeException | Error e) {
        failure = failure == null ? e : failure;
      } finally {
        ended[number] = true;
        moved = true;
      }
    }
    int next = next(number);
    (next < 0 ? allEnded : gates[next]).release();
  }

  /** Returns the item whose turn comes after that of another, or -1 if all have ended. */
  private int next(int number) {
    for (int i = number + 1; i < ended.length; i++) {
      if (!ended[i]) {
        return i;
      }
    }
    for (int i = 0; i <= number; i++) {
      if (!ended[i]) {
        endRound();
        return i;
      }
    }
    return -1;
  }

  private void endRound() {
    if (!moved && failure == null) {
      failure =
          new IllegalStateException(
              "some items of the block wait where others never come: a condition or loop around"
                  + " a barrier must be the same for all items of the block, and one around an"
                  + " exchange for all items of the subgroup");
    }
    moved = false;
  }

  /** Gives turns until all items have ended, and raises the first failure. */
  public void run() {
    runRest();
    allEnded.acquireUninterruptibly();
    switch (failure) {
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case null, default -> {}
    }
  }
}
