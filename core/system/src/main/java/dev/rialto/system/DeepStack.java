package dev.rialto.system;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Supplier;

/**
 * A thread with a deep stack, for compilers that run inside this process. They descend into a
 * program's expressions and loops by recursion, which can need more than the megabyte that a thread
 * of Java has; a native stack that runs over ends the JVM without a word.
 */
public final class DeepStack {
  /** Addresses only: pages that are not touched take no memory. */
  private static final long BYTES = 64L << 20;

  private DeepStack() {}

  /**
   * Returns what a compiler returns, or throws what it throws. An interruption of the caller waits
   * until the compiler is done.
   *
   * @param compiler the compiler's name, for the thread
   */
  public static <T> T call(String compiler, Supplier<T> work) {
    FutureTask<T> task = new FutureTask<>(work::get);
    Thread thread = new Thread(null, task, compiler + " compiler", BYTES);
    thread.setDaemon(true);
    thread.start();
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return task.get();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (ExecutionException e) {
      switch (e.getCause()) {
        case RuntimeException failure -> throw failure;
        case Error failure -> throw failure;
        case null, default -> throw new IllegalStateException(e);
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
