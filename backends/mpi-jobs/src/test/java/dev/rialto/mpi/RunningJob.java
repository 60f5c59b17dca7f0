package dev.rialto.mpi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.mpi.library.LibraryChoice;
import dev.rialto.system.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A job that communicates until it is ended, and what must not be left of it: processes, files in
 * its temporary folder, memory that its processes share.
 */
final class RunningJob implements AutoCloseable {
  static final int RANKS = 3;
  private static final Duration START_LIMIT = Duration.ofMinutes(5);
  private static final Duration END_LIMIT = Duration.ofMinutes(3);
  private static final String SHARED = "/dev/shm/";
  private static final Path SEGMENTS = Path.of("/proc/sysvipc/shm");

  /** The processes that there are to kill. */
  enum Victim {
    RANK,
    SHELL,
    LAUNCHER,
    FRONT
  }

  private final boolean local;
  private final Process front;
  private final Queue<String> output = new ConcurrentLinkedQueue<>();
  private final CompletableFuture<Path> ready = new CompletableFuture<>();
  private final Path temporary;
  private final Path folder;
  private final Set<ProcessHandle> processes;
  private final Set<Path> shared;
  private @Nullable ProcessHandle stopped;

  /**
   * Starts a job and waits until its ranks communicate.
   *
   * @param library an MPI library, or {@code local} for ranks that are threads of the front end
   * @param scratch an empty folder
   */
  RunningJob(String library, Path scratch) throws Exception {
    local = library.equals("local");
    if (!local) {
      Installed.assume(library);
    }
    temporary = Files.createDirectory(scratch.resolve("tmp"));
    ProcessBuilder builder =
        new ProcessBuilder(
            JavaCommand.like(
                RankProgram.class, List.of(local ? "local" : "forever", Integer.toString(RANKS))));
    builder.environment().put(LibraryChoice.VARIABLE, library);
    builder.environment().put("TMPDIR", temporary.toString());
    builder
        .environment()
        .put(
            "JAVA_TOOL_OPTIONS",
            "-XX:TieredStopAtLevel=1 -Drialto.mpi.silence=2 -Djava.io.tmpdir=" + temporary);
    front = builder.redirectErrorStream(true).start();
    Thread.ofPlatform().daemon().start(this::read);
    try {
      folder = ready.get(START_LIMIT.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      front.descendants().forEach(ProcessHandle::destroyForcibly);
      front.destroyForcibly();
      throw new AssertionError("not ready in " + START_LIMIT + ": " + output, e);
    }
    processes = new HashSet<>(front.descendants().toList());
    processes.add(front.toHandle());
    shared =
        processes.stream().flatMap(each -> sharedMemory(each).stream()).collect(Collectors.toSet());
  }

  private void read() {
    try (BufferedReader lines = front.inputReader(UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        output.add(line);
        if (line.startsWith("ready in ")) {
          ready.complete(Path.of(line.substring("ready in ".length())));
        }
      }
    } catch (IOException e) {
      output.add(e.toString());
    }
  }

  /** Returns what there is to kill: ranks that are threads have the front end alone. */
  List<Victim> victims() {
    return local ? List.of(Victim.FRONT) : List.of(Victim.values());
  }

  /** Checks that the job does not end by itself for so many milliseconds. */
  void goesOnFor(int millis) throws InterruptedException {
    assertThat(front.waitFor(millis, TimeUnit.MILLISECONDS))
        .as("ended by itself: %s", output)
        .isFalse();
  }

  /** Kills a process, and waits until nothing is left of the job, which has said why. */
  void kill(Victim victim, int rank) throws Exception {
    signal("KILL", find(victim, rank));
    awaitEnd();
    assertThat(front.exitValue()).as(said()).isNotZero();
    switch (victim) {
      case RANK -> awaitSaid("rank " + rank + " was killed by signal 9");
      case SHELL -> awaitSaid(" was killed");
      case LAUNCHER -> awaitSaid("rialto: ");
      case FRONT -> {}
    }
    assertThat(output).as(said()).noneMatch(line -> line.contains("messages are lost"));
  }

  /** Stops a process, and waits until the job has said so; a front end has nothing to report to. */
  void stop(Victim victim, int rank) throws Exception {
    ProcessHandle process = find(victim, rank);
    stopped = process;
    signal("STOP", process);
    if (victim != Victim.FRONT) {
      awaitSaid("has not answered for 2 s: process " + process.pid() + " is stopped");
    }
    if (victim == Victim.RANK) {
      awaitSaid("rank " + rank + " has not answered");
    }
    assertThat(processes).as(said()).allMatch(ProcessHandle::isAlive);
  }

  /** Lets the process that was stopped go on. */
  void goOn() throws Exception {
    signal("CONT", Objects.requireNonNull(stopped));
  }

  /** Asks the front end to end, and waits until nothing is left of the job. */
  void end() throws Exception {
    front.destroy();
    awaitEnd();
  }

  private ProcessHandle find(Victim victim, int rank) throws IOException {
    return switch (victim) {
      case FRONT -> front.toHandle();
      case LAUNCHER -> first(p -> command(p).contains("mpi") || command(p).contains("orterun"));
      case RANK -> ProcessHandle.of(numbers(rank)[1]).orElseThrow();
      case SHELL -> ProcessHandle.of(numbers(rank)[0]).orElseThrow();
    };
  }

  private long[] numbers(int rank) throws IOException {
    String[] words = Files.readString(folder.resolve(rank + ".pid"), UTF_8).strip().split(" ");
    return Stream.of(words).mapToLong(Long::parseLong).toArray();
  }

  private ProcessHandle first(Predicate<ProcessHandle> condition) {
    return front.children().filter(condition).findFirst().orElseThrow();
  }

  private static String command(ProcessHandle process) {
    return process.info().command().orElse("");
  }

  private static void signal(String name, ProcessHandle process) throws Exception {
    new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start().waitFor();
  }

  private void awaitEnd() throws Exception {
    assertThat(front.waitFor(END_LIMIT.toSeconds(), TimeUnit.SECONDS)).as(said()).isTrue();
    await(() -> processes.stream().noneMatch(ProcessHandle::isAlive), "a process is left");
    await(() -> shared.stream().noneMatch(Files::exists), "a file is left of " + shared);
    await(() -> local || !Files.exists(folder), folder + " is left");
    await(() -> leftFiles().isEmpty(), "a file is left in " + temporary);
    assertThat(leftSegments()).as("segments of shared memory; %s", said()).isEmpty();
  }

  private void awaitSaid(String words) throws Exception {
    await(
        () -> output.stream().anyMatch(line -> line.contains(words)),
        "nothing says '" + words + "'");
  }

  private void await(BooleanSupplier condition, String otherwise) throws Exception {
    long end = System.nanoTime() + END_LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("%s; %s", otherwise, said()).isLessThan(end);
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }

  private List<Path> leftFiles() {
    try (Stream<Path> files = Files.walk(temporary)) {
      return files.filter(each -> !each.equals(temporary)).toList();
    } catch (IOException | UncheckedIOException _) {
      return List.of(temporary); // A file went while it was listed; the caller looks again.
    }
  }

  /** Returns the files of shared memory that a process has mapped, where the system tells. */
  private static Set<Path> sharedMemory(ProcessHandle process) {
    try (Stream<String> maps = Files.lines(Path.of("/proc", "" + process.pid(), "maps"))) {
      return maps.filter(line -> line.contains(SHARED) && !line.endsWith(" (deleted)"))
          .map(line -> Path.of(line.substring(line.indexOf(SHARED))))
          .collect(Collectors.toSet());
    } catch (IOException | UncheckedIOException _) {
      return Set.of();
    }
  }

  /** Returns the segments that processes of the job have made, where the system tells. */
  private List<String> leftSegments() throws IOException {
    if (!Files.isReadable(SEGMENTS)) {
      return List.of();
    }
    Set<String> numbers =
        processes.stream().map(each -> Long.toString(each.pid())).collect(Collectors.toSet());
    return Files.readAllLines(SEGMENTS).stream()
        .skip(1)
        .filter(line -> numbers.contains(line.strip().split(" +", -1)[4]))
        .toList();
  }

  private String said() {
    return "the job said: "
        + String.join("\n", output)
        + " alive: "
        + (processes == null
            ? ""
            : processes.stream()
                .filter(ProcessHandle::isAlive)
                .map(p -> p.pid() + " " + command(p))
                .toList());
  }

  @Override
  public void close() {
    processes.forEach(ProcessHandle::destroyForcibly);
  }
}
