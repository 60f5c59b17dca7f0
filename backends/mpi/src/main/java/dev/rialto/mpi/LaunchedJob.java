package dev.rialto.mpi;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/**
 * A job of ranks under an MPI launcher.
 *
 * <p>Launchers differ in what they do when a rank ends badly: Hydra names its process id only, and
 * waits for the others for ever if the rank had not come as far as {@code MPI_Init}. So each rank
 * runs under a shell that writes a failure's exit code to a folder, from which this class names the
 * rank and ends what the launcher leaves running. Hydra also drops what a rank said just before it
 * aborts; so its {@linkplain #lastWords last words} go through the folder too. On other machines,
 * which do not see the folder, the launcher's own ways remain.
 */
final class LaunchedJob extends Process {
  /** Tells the ranks' shells where to write. */
  static final String FOLDER = "RIALTO_MPI_ENDED";

  /**
   * What each rank runs its command with. Besides, a program called {@code java} would have its
   * arguments changed by Open MPI's launcher.
   */
  static final List<String> SHELL =
      List.of(
          "sh",
          "-c",
          "\"$@\"; code=$?; if [ $code != 0 ] && [ -d \"$"
              + FOLDER
              + "\" ]; then rank=\"$"
              + FOLDER
              + "/${OMPI_COMM_WORLD_RANK:-${PMI_RANK:-${PMIX_RANK:-0}}}\";"
              + " echo $code >\"$rank.new\"; mv \"$rank.new\" \"$rank\"; fi; exit $code",
          "sh");

  private static final String UNFINISHED = ".new";
  private static final String SAID = ".said";
  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final int LOOK_MILLIS = 50;
  private static final int SIGNALLED = 128;
  private static final int TERMINATED = SIGNALLED + 15;

  /** A rank that ended badly. */
  private record Casualty(int rank, int code) {
    @Override
    public String toString() {
      return "rank "
          + rank
          + (code > SIGNALLED
              ? " was killed by signal " + (code - SIGNALLED)
              : " ended with code " + code);
    }
  }

  private final Process launcher;
  private final Path folder;
  private final CompletableFuture<Integer> result = new CompletableFuture<>();

  private LaunchedJob(Process launcher, Path folder) {
    this.launcher = launcher;
    this.folder = folder;
  }

  /** Starts a launcher; what it and its ranks say goes where this process's output goes. */
  static LaunchedJob start(List<String> command, Map<String, String> environment)
      throws IOException {
    Path folder = Files.createTempDirectory("rialto-mpi");
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    builder.environment().put(FOLDER, folder.toString());
    LaunchedJob job;
    try {
      job =
          new LaunchedJob(
              builder
                  .redirectInput(ProcessBuilder.Redirect.INHERIT)
                  .redirectOutput(ProcessBuilder.Redirect.INHERIT)
                  .start(),
              folder);
    } catch (IOException e) {
      Files.delete(folder);
      throw e;
    }
    Thread errors = Thread.ofPlatform().daemon().name("mpi errors").start(job::passErrors);
    Thread.ofPlatform().daemon().name("mpi job").start(() -> job.watch(errors));
    return job;
  }

  /** Says why this process, a rank, ends its job. */
  static void lastWords(int rank, String words) {
    String folder = System.getenv(FOLDER);
    if (folder != null && Files.isDirectory(Path.of(folder))) {
      try {
        Path file = Files.writeString(Path.of(folder, rank + UNFINISHED + SAID), words, UTF_8);
        Files.move(file, Path.of(folder, rank + SAID));
        return;
      } catch (IOException e) {
        System.err.println("the launcher was not told: " + e);
      }
    }
    System.err.println(words);
    System.err.flush();
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
      while (!launcher.waitFor(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
        if (first().isPresent() && !launcher.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
          launcher.destroy();
          if (!launcher.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS)) {
            killAll();
          }
        }
      }
      // A rank that outlives the launcher could keep its messages open.
      errors.join(GRACE.toMillis());
      passLastWords();
      Optional<Casualty> casualty = first();
      casualty.ifPresent(rank -> System.err.println("rialto: " + rank));
      clear();
      result.complete(casualty.map(Casualty::code).orElseGet(launcher::exitValue));
    } catch (InterruptedException | IOException e) {
      killAll();
      result.completeExceptionally(e);
    }
  }

  private void passLastWords() throws IOException {
    for (File file : files(SAID)) {
      System.err.println(Files.readString(file.toPath(), UTF_8));
    }
  }

  /** Returns the files of a kind, in the order in which they were written. */
  private List<File> files(String ending) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .map(Path::toFile)
          .filter(file -> file.getName().matches("[0-9]+" + ending))
          .sorted(Comparator.comparingLong(File::lastModified))
          .toList();
    }
  }

  /**
   * Returns the rank that ended first of those that ended badly. Those that the launcher ended
   * because of it come later, or were asked to.
   */
  private Optional<Casualty> first() throws IOException {
    return files("").stream()
        .map(LaunchedJob::read)
        .min(Comparator.comparing(rank -> rank.code() == TERMINATED));
  }

  private static Casualty read(File file) {
    try {
      String code = Files.readString(file.toPath(), UTF_8).strip();
      return new Casualty(Integer.parseInt(file.getName()), Integer.parseInt(code));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void clear() throws IOException {
    try (Stream<Path> ended = Files.list(folder)) {
      for (Path file : ended.toList()) {
        Files.deleteIfExists(file);
      }
    }
    Files.deleteIfExists(folder);
  }

  private void killAll() {
    launcher.descendants().forEach(ProcessHandle::destroyForcibly);
    launcher.destroyForcibly();
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
    launcher.destroy();
  }

  @Override
  public Process destroyForcibly() {
    killAll();
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
