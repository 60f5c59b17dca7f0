package dev.rialto.mpi.world;

import dev.rialto.spi.World;
import dev.rialto.spi.error.CommunicationException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The ranks of a job, of which this process is one.
 *
 * <p>A rank that throws ends the job, when its process ends or after some seconds: the other ranks
 * wait in the library for messages that won't come, and only the launcher can end them.
 */
public final class MpiWorld implements World {
  /** The time that a failed rank's process gets to end by itself, and others to see the failure. */
  private static final Duration GRACE = Duration.ofSeconds(4);

  private final Job job;
  private final MpiCommunicator communicator;
  private boolean running;
  private boolean closed;
  private @Nullable Throwable failure;

  public MpiWorld(Job job) {
    this.job = job;
    this.communicator = MpiCommunicator.world(job);
  }

  @Override
  public int size() {
    return job.size();
  }

  @Override
  public <T> List<T> call(RankFunction<T> function) {
    if (closed || running || failure != null) {
      throw new IllegalStateException(
          "the world "
              + (closed
                  ? "is closed; open another"
                  : running
                      ? "is running; run it again when that has ended"
                      : "has failed; it can only be closed"));
    }
    running = true;
    job.busy(true);
    job.watch().begin();
    try {
      T result = function.run(communicator);
      job.left().settleAll();
      job.busy(false);
      return Collections.singletonList(result);
    } catch (Throwable e) {
      Throwable reason = job.fail(e);
      if (!reason.equals(e)) {
        reason.addSuppressed(e);
      }
      failure = reason;
      Thread.ofPlatform().daemon().name("mpi abort").start(() -> abortSoon(reason));
      throw new CommunicationException("the rank failed: " + reason, job.where(), "", reason);
    } finally {
      running = false;
    }
  }

  @Override
  public void close() {
    if (running) {
      throw new IllegalStateException("the world is running; close it when that has ended");
    }
    if (!closed) {
      closed = true;
      // The other ranks wait for this one, so an earlier interrupt does not end it.
      boolean interrupted = Thread.interrupted();
      try {
        if (failure == null) {
          communicator.barrierAtClose();
        }
      } finally {
        communicator.closeWorld();
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
      }
    }
  }

  private void abortSoon(Throwable reason) {
    try {
      Thread.sleep(GRACE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    job.abortFailed(words(reason));
  }

  private static String words(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return text.toString().strip();
  }
}
