package dev.rialto.mpi.launch;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * A job of ranks under an MPI launcher.
 *
 * <p>Launchers differ in what they do when a rank ends badly: Hydra names its process id only, and
 * waits for the others for ever if the rank had not come as far as {@code MPI_Init}, or if its
 * shell was killed. So the ranks leave word in a {@link JobFolder}, from which this class names the
 * rank and ends what the launcher leaves running. Hydra also drops what a rank said just before it
 * aborts; so its {@linkplain #lastWords last words} go through the folder too. On other machines,
 * which do not see the folder, the launcher's own ways remain.
 *
 * <p>The job ends with this process: by a shutdown hook, or, if it is killed, by a {@link
 * Guardian}.
 */
public final class LaunchedJob extends Process {
  private static final Duration GRACE = Duration.ofSeconds(1);
  private static final int LOOK_MILLIS = 50;
  private static final int LOOKS_PER_SECOND = 1000 / LOOK_MILLIS;

  private final Process launcher;
  private final JobFolder folder;
  private final JobProcesses processes;
  private final Guardian guardian;
  private final Thread atShutdown = new Thread(this::endAtShutdown, "end ranks");
  private final CompletableFuture<Integer> result = new CompletableFuture<>();
  private volatile boolean destroyed;

  private LaunchedJob(Process launcher, JobFolder folder, Guardian guardian) {
    this.launcher = launcher;
    this.folder = folder;
    this.processes = new JobProcesses(launcher);
    this.guardian = guardian;
  }

  /** Starts a launcher in a folder; what it and its ranks say goes where this process's goes. */
  static LaunchedJob start(JobFolder folder, List<String> command, Map<String, String> environment)
      throws IOException {
    Guardian guardian = Guardian.start(folder);
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    Process launcher =
        builder
            .redirectInput(ProcessBuilder.Redirect.INHERIT)
            .redirectOutput(ProcessBuilder.Redirect.INHERIT)
            .start();
    guardian.guard(launcher);
    LaunchedJob job = new LaunchedJob(launcher, folder, guardian);
    Runtime.getRuntime().addShutdownHook(job.atShutdown);
    Thread errors = Thread.ofPlatform().daemon().name("mpi errors").start(job::passErrors);
    Thread.ofPlatform().daemon().name("mpi job").start(() -> job.watch(errors));
    return job;
  }

  /** Says why this process, a rank, ends its job. */
  public static void lastWords(int rank, String words) {
    Optional<JobFolder> folder = JobFolder.ofThisRank();
    if (folder.isPresent()) {
      try {
        folder.get().say(rank, words);
        return;
      } catch (IOException e) {
        System.err.println("the launcher was not told: " + e);
      }
    }
    System.err.println(words);
    System.err.flush();
  }

  /** Returns whether the job of this process, a rank, is known to be ending. */
  public static boolean isEnding() {
    try {
      Optional<JobFolder> folder = JobFolder.ofThisRank();
      return folder.isPresent() && folder.get().isEnding();
    } catch (IOException e) {
      return false; // the folder goes when the job has ended, and then no rank listens
    }
  }

  /** Waits until some rank has said why the job ends, within a limit. */
  public static void awaitLastWords(Duration limit) {
    long end = System.nanoTime() + limit.toNanos();
    try {
      Optional<JobFolder> folder = JobFolder.ofThisRank();
      while (folder.isPresent() && folder.get().said().isEmpty() && System.nanoTime() < end) {
        Thread.sleep(LOOK_MILLIS);
      }
    } catch (IOException e) {
      return; // the folder goes when the job has ended
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void passErrors() {
    try (InputStream from = launcher.getErrorStream()) {
      from.transferTo(new IncubatorFilter(System.err));
    } catch (IOException e) {
      System.err.println("rialto: the ranks' messages are lost: " + e.getMessage());
    }
  }

  private void watch(Thread errors) {
    try {
      Optional<Casualty> casualty = Optional.empty();
      for (int looks = 0; !launcher.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS); looks++) {
        processes.note(folder.processes());
        if (looks % LOOKS_PER_SECOND == 0) {
          processes.look(System.nanoTime()).forEach(LaunchedJob::report);
        }
        if (casualty.isEmpty()) {
          casualty = afterGrace(first());
        }
        if (casualty.isPresent()) {
          endLauncher();
        }
      }
      processes.note(folder.processes());
      if (casualty.isEmpty()) {
        casualty = first().or(() -> Casualty.ofLauncher(launcher.exitValue()));
      }
      processes.killAll();
      // A rank on another machine could keep the messages open.
      errors.join(GRACE.toMillis());
      List<JobFolder.Words> said = folder.said();
      boolean explained = said.stream().anyMatch(words -> !words.late());
      if (!explained && !destroyed) {
        casualty.map(Casualty::what).ifPresent(LaunchedJob::report);
      }
      said.forEach(words -> System.err.println(words.text()));
      if (explained) {
        // A rank has aborted the job, and launchers may kill shells for that.
        casualty = casualty.filter(rank -> !rank.isKilled());
      }
      cleanUp();
      result.complete(casualty.map(Casualty::code).orElseGet(launcher::exitValue));
    } catch (InterruptedException | IOException | RuntimeException e) {
      result.completeExceptionally(e);
      destroyForcibly();
    }
  }

  private static void report(String what) {
    System.err.println("rialto: " + what);
  }

  /**
   * Gives the launcher time to end by itself what a rank has left, before the ranks' codes come
   * from the signals of this process.
   */
  private Optional<Casualty> afterGrace(Optional<Casualty> found)
      throws InterruptedException, IOException {
    if (found.isPresent()) {
      boolean _ = launcher.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS);
      return found.get().isAsked() ? first() : found;
    }
    return found;
  }

  private void endLauncher() throws InterruptedException {
    launcher.toHandle().destroy(); // the process's own method would close the ranks' messages
    if (!launcher.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
      processes.killAll();
    }
  }

  /** Returns the rank that ended first of those that ended badly. */
  private Optional<Casualty> first() throws IOException {
    List<JobFolder.Ended> ended = folder.ended();
    List<Integer> withoutShell =
        processes.withoutShell(
            ended.stream().map(JobFolder.Ended::rank).collect(Collectors.toSet()));
    // One may have noted its code since the codes were read.
    return withoutShell.isEmpty() || folder.ended().size() == ended.size()
        ? Casualty.of(ended, withoutShell)
        : first();
  }

  private void cleanUp() throws IOException {
    folder.delete();
    guardian.dismiss();
    try {
      Runtime.getRuntime().removeShutdownHook(atShutdown);
    } catch (IllegalStateException e) {
      return; // This process is ending, and the hook finds nothing to do.
    }
  }

  /** Ends the job with this process, which may have been interrupted in the middle of anything. */
  private void endAtShutdown() {
    try {
      if (!waitFor(0, TimeUnit.SECONDS)) {
        destroy();
        if (!waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
          processes.killAll();
          boolean _ = waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS);
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public int waitFor() throws InterruptedException {
    try {
      return result.get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("the job was lost sight of", e.getCause());
    }
  }

  @Override
  public boolean waitFor(long timeout, TimeUnit unit) throws InterruptedException {
    try {
      result.get(timeout, unit);
      return true;
    } catch (ExecutionException e) {
      return true;
    } catch (TimeoutException e) {
      return false;
    }
  }

  @Override
  public int exitValue() {
    if (!result.isDone()) {
      throw new IllegalThreadStateException("the job is running");
    }
    return result.join();
  }

  @Override
  public boolean isAlive() {
    return !result.isDone();
  }

  @Override
  public ProcessHandle toHandle() {
    return launcher.toHandle();
  }

  @Override
  public CompletableFuture<Process> onExit() {
    return result.thenApply(_ -> this);
  }

  @Override
  public void destroy() {
    try {
      destroyed = true;
      folder.end();
    } catch (IOException e) {
      report("the ranks are not told that the job is to end: " + e);
    }
    launcher.toHandle().destroy();
  }

  @Override
  public Process destroyForcibly() {
    destroyed = true;
    List<ProcessHandle> below = launcher.descendants().toList();
    // First of all: it would complain of ranks that are killed.
    launcher.toHandle().destroyForcibly();
    below.forEach(ProcessHandle::destroyForcibly);
    return this;
  }

  @Override
  public OutputStream getOutputStream() {
    return launcher.getOutputStream();
  }

  @Override
  public InputStream getInputStream() {
    return launcher.getInputStream();
  }

  @Override
  public InputStream getErrorStream() {
    return InputStream.nullInputStream();
  }
}
