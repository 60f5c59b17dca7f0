package dev.rialto.array.run;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Brings calls of the communicator to a thread that may make them.
 *
 * <p>Where several threads of a rank may communicate, an operation that was started does so itself.
 * Elsewhere its loops run on their own thread all the same, and its words with other ranks wait
 * until the rank's thread awaits the operation.
 */
public final class CommunicationThread {
  /** Makes each call on the calling thread. */
  static final CommunicationThread NONE = new CommunicationThread();

  private final LinkedBlockingQueue<FutureTask<?>> waiting = new LinkedBlockingQueue<>();

  /** Makes a call, here or on the thread that is in {@link #serve}. */
  void carry(Runnable call) {
    if (this == NONE) {
      call.run();
      return;
    }
    FutureTask<?> task = new FutureTask<>(call, null);
    waiting.add(task);
    try {
      task.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while another thread communicates", e);
    } catch (ExecutionException e) {
      throw unwrapped(e);
    }
  }

  /** Returns what a task failed with; throws it if it is an error. */
  static RuntimeException unwrapped(ExecutionException failed) {
    return switch (failed.getCause()) {
      case RuntimeException failure -> failure;
      case Error error -> throw error;
      case null, default -> new IllegalStateException(failed.getCause());
    };
  }

  /** Makes the calls of others until one of them is the end that {@link #wake} sent. */
  void serve() throws InterruptedException {
    waiting.take().run();
  }

  /** Wakes the thread in {@link #serve}, because there may be nothing more to wait for. */
  void wake() {
    if (this != NONE) {
      waiting.add(new FutureTask<>(() -> {}, null));
    }
  }
}
