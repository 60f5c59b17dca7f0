package dev.rialto.jit.kernel.host;

import dev.rialto.jit.kernel.Item;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/** Threads of which one runs at a time; each is started when its first turn comes. */
public final class RoundRobinThreads implements PlainItem.Meeting {
  private final Thread[] threads;
  private final Semaphore[] gates;
  private final boolean[] ended;
  private final Semaphore back = new Semaphore(0);
  private final int[] barriers;
  private final int[] exchanges;

  /** Whether an item came further in this round of turns. */
  private boolean moved;

  private volatile @Nullable Throwable failure;

  public RoundRobinThreads(int count) {
    this.threads = new Thread[count];
    this.gates = new Semaphore[count];
    this.ended = new boolean[count];
    this.barriers = new int[count];
    this.exchanges = new int[count];
  }

  /** Runs a thread up to its first barrier or its end. */
  public void start(int number, Runnable body) {
    gates[number] = new Semaphore(0);
    threads[number] =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    body.run();
                  } catch (RuntimeException | Error e) {
                    failure = failure == null ? e : failure;
                  } finally {
                    ended[number] = true;
                    moved = true;
                    back.release();
                  }
                });
    back.acquireUninterruptibly();
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

  /** Ends the turn of a thread; returns when the next one comes. */
  private void pass(int number) {
    back.release();
    gates[number].acquireUninterruptibly();
    if (failure != null) {
      throw new IllegalStateException("another item of the block failed");
    }
  }

  /** Gives turns until all threads have ended, and raises the first failure. */
  public void finish() {
    boolean waiting = true;
    while (waiting) {
      waiting = false;
      moved = false;
      for (int i = 0; i < gates.length; i++) {
        if (!ended[i]) {
          waiting = true;
          gates[i].release();
          back.acquireUninterruptibly();
        }
      }
      if (waiting && !moved && failure == null) {
        failure =
            new IllegalStateException(
                "some items of the block wait where others never come: a condition or loop around"
                    + " a barrier must be the same for all items of the block, and one around an"
                    + " exchange for all items of the subgroup");
      }
    }
    switch (failure) {
      case RuntimeException e -> throw e;
      case Error e -> throw e;
      case null, default -> {}
    }
  }
}
