package dev.rialto.example.socket;

import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The processes of one launch, as one process to wait for.
 *
 * <p>When a rank ends badly the others learn of it through their sockets and get a few seconds to
 * say so; then they are killed. All are killed when this JVM ends; when it is itself killed, they
 * notice (see {@link SocketWorld#join}).
 */
final class SocketJob extends Process {
  private static final long GRACE_SECONDS = 3;

  private static final Set<Process> CHILDREN = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime()
        .addShutdownHook(new Thread(() -> CHILDREN.forEach(Process::destroyForcibly)));
  }

  private final List<Process> ranks;
  private final Rendezvous rendezvous;
  private final CountDownLatch running;
  private volatile int code;

  SocketJob(List<Process> ranks, Rendezvous rendezvous) {
    this.ranks = ranks;
    this.rendezvous = rendezvous;
    this.running = new CountDownLatch(ranks.size());
    CHILDREN.addAll(ranks);
    for (Process rank : ranks) {
      var _ = rank.onExit().thenAccept(this::ended);
    }
  }

  private synchronized void ended(Process rank) {
    CHILDREN.remove(rank);
    if (rank.exitValue() != 0 && code == 0) {
      code = rank.exitValue();
      CompletableFuture.delayedExecutor(GRACE_SECONDS, TimeUnit.SECONDS)
          .execute(this::destroyForcibly);
    }
    running.countDown();
    if (running.getCount() == 0) {
      rendezvous.close();
    }
  }

  @Override
  public int waitFor() throws InterruptedException {
    running.await();
    return code;
  }

  @Override
  public int exitValue() {
    if (running.getCount() > 0) {
      throw new IllegalThreadStateException(running.getCount() + " ranks are still running");
    }
    return code;
  }

  @Override
  public void destroy() {
    ranks.forEach(Process::destroy);
  }

  @Override
  public Process destroyForcibly() {
    ranks.forEach(Process::destroyForcibly);
    return this;
  }

  /** Returns rank 0's handle, as the one that stands for all. */
  @Override
  public ProcessHandle toHandle() {
    return ranks.getFirst().toHandle();
  }

  @Override
  public Stream<ProcessHandle> descendants() {
    return ranks.stream().flatMap(r -> Stream.concat(Stream.of(r.toHandle()), r.descendants()));
  }

  @Override
  public OutputStream getOutputStream() {
    return OutputStream.nullOutputStream();
  }

  @Override
  public InputStream getInputStream() {
    return InputStream.nullInputStream();
  }

  @Override
  public InputStream getErrorStream() {
    return InputStream.nullInputStream();
  }
}
