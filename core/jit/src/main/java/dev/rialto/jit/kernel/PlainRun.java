package dev.rialto.jit.kernel;

import dev.rialto.spi.data.Shape;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;

/**
 * Runs a kernel as the Java method that it is, item by item: a debugger stops in it, an index out
 * of bounds throws, and what it computes is what every compiled form must compute.
 *
 * <p>Blocks run one after the other. The items of a block take turns: each runs up to its next
 * barrier, in the order of their numbers, so that a run gives the same results each time.
 */
public final class PlainRun {
  private PlainRun() {}

  /**
   * Runs a kernel over items.
   *
   * @param blockSize the items of a block
   * @param items all items
   * @param arguments the arrays and numbers that the method takes
   */
  public static void of(KernelBody body, int blockSize, long items, Object... arguments) {
    of(body, Shape.of(blockSize), Shape.of(items), arguments);
  }

  /**
   * Runs a kernel over items along several axes.
   *
   * @param block the items of a block along each axis
   * @param items all items along each axis
   * @param arguments the arrays and numbers that the method takes
   */
  public static void of(KernelBody body, Shape block, Shape items, Object... arguments) {
    Blocks blocks = new Blocks(block, items);
    for (long number = 0; number < blocks.count(); number++) {
      List<List<PlainItem.Axis>> places = blocks.items(number);
      PlainItem.Shared shared = new PlainItem.Shared();
      Turns turns = new Turns(places.size());
      for (int local = 0; local < places.size(); local++) {
        int turn = local;
        PlainItem item = new PlainItem(places.get(local), shared, () -> turns.pass(turn));
        turns.start(local, () -> KernelBody.call(body, item, arguments));
      }
      turns.finish();
    }
  }

  /** Threads of which one runs at a time; each is started when its first turn comes. */
  private static final class Turns {
    private final Thread[] threads;
    private final Semaphore[] gates;
    private final boolean[] ended;
    private final Semaphore back = new Semaphore(0);
    private volatile @Nullable Throwable failure;

    Turns(int count) {
      this.threads = new Thread[count];
      this.gates = new Semaphore[count];
      this.ended = new boolean[count];
    }

    /** Runs a thread up to its first barrier or its end. */
    void start(int number, Runnable body) {
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
                      back.release();
                    }
                  });
      back.acquireUninterruptibly();
    }

    /** Ends the turn of a thread; returns when the next one comes. */
    void pass(int number) {
      back.release();
      gates[number].acquireUninterruptibly();
      if (failure != null) {
        throw new IllegalStateException("another item of the block failed");
      }
    }

    /** Gives turns until all threads have ended, and raises the first failure. */
    void finish() {
      boolean waiting = true;
      while (waiting) {
        waiting = false;
        for (int i = 0; i < gates.length; i++) {
          if (!ended[i]) {
            waiting = true;
            gates[i].release();
            back.acquireUninterruptibly();
          }
        }
      }
      switch (failure) {
        case RuntimeException e -> throw e;
        case Error e -> throw e;
        case null, default -> {}
      }
    }
  }
}
