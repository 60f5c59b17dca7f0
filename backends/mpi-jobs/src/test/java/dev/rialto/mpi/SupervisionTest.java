package dev.rialto.mpi;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.mpi.library.LibraryChoice;
import dev.rialto.system.JavaCommand;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Jobs of which some process is killed or stopped. {@code -Drialto.kills=30} kills as many at
 * random.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES) // a machine that is busy starts three JVMs slowly
class SupervisionTest {
  private static final int RANKS = 3;
  private static final Duration START_LIMIT = Duration.ofMinutes(5);
  private static final Duration END_LIMIT = Duration.ofMinutes(3);

  /** The processes that there are to kill. */
  enum Victim {
    RANK,
    SHELL,
    LAUNCHER,
    FRONT
  }

  @ParameterizedTest
  @CsvSource({"openmpi, RANK", "openmpi, FRONT", "mpich, SHELL", "mpich, LAUNCHER"})
  void aKilledProcessEndsTheJobAndNothingIsLeft(String library, Victim victim) throws Exception {
    Installed.assume(library);
    try (RunningJob job = new RunningJob(library)) {
      job.kill(victim, 1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void aStoppedRankIsReportedAndGoesOn(String library) throws Exception {
    Installed.assume(library);
    try (RunningJob job = new RunningJob(library)) {
      job.stop(Victim.RANK, 2);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  @EnabledIfSystemProperty(named = "rialto.kills", matches = "\\d+")
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void killsAtRandomLeaveNothing(String library) throws Exception {
    Installed.assume(library);
    long seed = Long.getLong("rialto.seed", System.nanoTime());
    Random random = new Random(seed);
    for (int kill = 0; kill < Integer.getInteger("rialto.kills"); kill++) {
      Victim victim = Victim.values()[random.nextInt(Victim.values().length)];
      int rank = random.nextInt(RANKS);
      // A front end is stopped by who watches its terminal, and needs no report.
      boolean stop = victim != Victim.FRONT && random.nextInt(4) == 0;
      System.out.printf(
          "%s, kill %d of seed %d: %s %s of rank %d%n",
          library, kill, seed, stop ? "stop" : "kill", victim, rank);
      try (RunningJob job = new RunningJob(library)) {
        // At any moment, not only in a certain call.
        boolean over = job.front.waitFor(random.nextInt(100), TimeUnit.MILLISECONDS);
        assertThat(over).as("ended by itself: %s", job.output).isFalse();
        long begin = System.nanoTime();
        if (stop) {
          job.stop(victim, rank);
        } else {
          job.kill(victim, rank);
        }
        System.out.printf("ended after %.1f s%n", (System.nanoTime() - begin) / 1e9);
      }
    }
  }

  /** A job that communicates until it is ended. */
  private static final class RunningJob implements AutoCloseable {
    private final Process front;
    private final Queue<String> output = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Path> ready = new CompletableFuture<>();
    private final Path folder;
    private final List<ProcessHandle> processes;

    RunningJob(String library) throws Exception {
      ProcessBuilder builder =
          new ProcessBuilder(
              JavaCommand.like(RankProgram.class, List.of("forever", Integer.toString(RANKS))));
      builder.environment().put(LibraryChoice.VARIABLE, library);
      builder
          .environment()
          .put("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -Drialto.mpi.silence=2");
      front = builder.redirectErrorStream(true).start();
      Thread.ofPlatform().daemon().start(this::read);
      try {
        folder = ready.get(START_LIMIT.toSeconds(), TimeUnit.SECONDS);
      } catch (TimeoutException e) {
        front.descendants().forEach(ProcessHandle::destroyForcibly);
        front.destroyForcibly();
        throw new AssertionError("not ready in " + START_LIMIT + ": " + output, e);
      }
      processes = new ArrayList<>(front.descendants().toList());
      processes.add(front.toHandle());
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

    void kill(Victim victim, int rank) throws Exception {
      signal("KILL", find(victim, rank));
      assertThat(front.waitFor(END_LIMIT.toSeconds(), TimeUnit.SECONDS)).as(said()).isTrue();
      assertThat(front.exitValue()).as(said()).isNotZero();
      switch (victim) {
        case RANK -> awaitSaid("rank " + rank + " was killed by signal 9");
        case SHELL -> awaitSaid(" was killed");
        case LAUNCHER -> awaitSaid("rialto: ");
        case FRONT -> {}
      }
      awaitNothingLeft();
      assertThat(output).as(said()).noneMatch(line -> line.contains("messages are lost"));
    }

    void stop(Victim victim, int rank) throws Exception {
      ProcessHandle stopped = find(victim, rank);
      signal("STOP", stopped);
      awaitSaid("has not answered for 2 s: process " + stopped.pid() + " is stopped");
      if (victim == Victim.RANK) {
        awaitSaid("rank " + rank + " has not answered");
      }
      assertThat(processes).as(said()).allMatch(ProcessHandle::isAlive);
      signal("CONT", stopped);
      // The front end, asked to end, ends all.
      front.destroy();
      assertThat(front.waitFor(END_LIMIT.toSeconds(), TimeUnit.SECONDS)).as(said()).isTrue();
      awaitNothingLeft();
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

    private void awaitNothingLeft() throws Exception {
      await(() -> processes.stream().noneMatch(ProcessHandle::isAlive), "a process is left");
      await(() -> !Files.exists(folder), folder + " is left");
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
}
