package dev.rialto.tck.fault;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.rialto.spi.Capability;
import dev.rialto.spi.RankLauncher;
import dev.rialto.spi.World;
import dev.rialto.spi.error.CommunicationException;
import dev.rialto.spi.error.RialtoException;
import dev.rialto.tck.Coverage;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.Tck;
import dev.rialto.tck.run.NotRun;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A rank that fails, in every kind of operation and every phase of it: the world ends within
 * seconds, and the rank's own exception is the cause that comes out.
 */
public final class FaultTck extends Tck {
  private static final Duration SECONDS = Duration.ofSeconds(10);

  private void check(FailingOperation operation, Phase phase, int victim, int ranks, String what) {
    Collection<Throwable> others = new ConcurrentLinkedQueue<>();
    Collection<Injected> own = new ConcurrentLinkedQueue<>();
    World world = open(ranks);
    long start = System.nanoTime();
    CommunicationException thrown =
        assertThrows(
            CommunicationException.class,
            () ->
                world.run(
                    comm -> {
                      try {
                        FailingOperation.repeat(operation, comm, victim, phase);
                      } catch (Injected e) {
                        own.add(e);
                        throw e;
                      } catch (RuntimeException | Error e) {
                        others.add(e);
                        throw e;
                      }
                    }),
            what + "the world did not fail");
    world.close();
    Duration took = Duration.ofNanos(System.nanoTime() - start);
    assertTrue(took.compareTo(SECONDS) < 0, () -> what + "it took " + took);
    assertEquals(1, own.size(), () -> what + "failures of its own");
    assertSame(own.iterator().next(), thrown.getCause(), () -> what + "the cause");
    assertTrue(
        String.valueOf(thrown.getMessage()).contains("rank " + victim),
        () -> what + "'" + thrown.getMessage() + "' does not name the rank");
    // A rank that fails closes what it has on its way out, which others may see as a mismatch.
    for (Throwable each : others) {
      assertInstanceOf(RialtoException.class, each, () -> what + "told to another rank");
    }
  }

  @Requirement(
      id = "FLT-001",
      with = "MESSAGES",
      text = "A rank that fails among blocking messages ends the world, with its own exception.",
      capability = Capability.POINT_TO_POINT)
  @Requirement(
      id = "FLT-002",
      with = "REQUESTS",
      text = "A rank that fails among requests ends the world, with its own exception.",
      capability = {Capability.POINT_TO_POINT, Capability.NON_BLOCKING})
  @Requirement(
      id = "FLT-003",
      with = "PERSISTENT",
      text = "A rank that fails among persistent messages ends the world, with its own exception.",
      capability = {Capability.POINT_TO_POINT, Capability.PERSISTENT})
  @Requirement(
      id = "FLT-004",
      with = "COLLECTIVES",
      text = "A rank that fails among collectives ends the world, with its own exception.",
      capability = Capability.COLLECTIVES)
  @Requirement(
      id = "FLT-005",
      with = "COLLECTIVE_REQUESTS",
      text = "A rank that fails while collectives are under way ends the world with its exception.",
      capability = {Capability.COLLECTIVES, Capability.NON_BLOCKING_COLLECTIVES})
  @Requirement(
      id = "FLT-006",
      with = "PERSISTENT_COLLECTIVES",
      text = "A rank that fails among persistent collectives ends the world with its exception.",
      capability = {Capability.COLLECTIVES, Capability.PERSISTENT_COLLECTIVES})
  @Requirement(
      id = "FLT-007",
      with = "REDUCTIONS",
      text = "A rank that fails among reductions ends the world, with its own exception.",
      capability = Capability.REDUCTIONS)
  @Requirement(
      id = "FLT-008",
      with = "NEIGHBORHOODS",
      text = "A rank that fails among exchanges of neighbours ends the world with its exception.",
      capability = Capability.NEIGHBORHOODS)
  @Requirement(
      id = "FLT-009",
      with = "WINDOWS",
      text = "A rank that fails among accesses to windows ends the world, with its own exception.",
      capability = Capability.WINDOWS)
  void everyPhase(FailingOperation operation) {
    if (backend().launcher().isPresent()) {
      throw new NotRun("its ranks are processes, which FLT-010 launches to fail");
    }
    Random random = random();
    for (int ranks : rankCounts()) {
      if (ranks > 1 && ranks <= 4) {
        for (Phase phase : Phase.values()) {
          int victim = random.nextBoolean() ? 0 : ranks - 1;
          String what = operation + " at " + phase + " of rank " + victim + " of " + ranks + ": ";
          check(operation, phase, victim, ranks, what);
          coverage()
              .add("failing " + operation, Coverage.Dimension.FORM, phase)
              .add("failing " + operation, Coverage.Dimension.RANKS, ranks);
        }
      }
    }
  }

  @Requirement(
      id = "FLT-010",
      text =
          "A rank that is a process and fails, in whatever operation and phase, ends the job within"
              + " seconds, in words that name it, and leaves no process.")
  void processes() throws Exception {
    if (backend().launcher().isEmpty()) {
      throw new NotRun("its ranks are not processes");
    }
    List<FailingOperation> operations =
        new ArrayList<>(
            Arrays.stream(FailingOperation.values())
                .filter(each -> capabilities().contains(each.needs()))
                .toList());
    Random random = random();
    for (int round = 0; round < effort(); round++) {
      Collections.shuffle(operations, random);
      Iterator<FailingOperation> next = operations.iterator();
      for (Phase phase : Phase.values()) {
        next = next.hasNext() ? next : operations.iterator();
        FailingOperation operation = next.next();
        launch(operation, phase, random.nextInt(3));
        coverage().add("failing " + operation, Coverage.Dimension.FORM, phase);
      }
    }
  }

  private void launch(FailingOperation operation, Phase phase, int victim) throws Exception {
    RankLauncher launcher = backend().launcher().orElseThrow();
    Path folder = Files.createTempDirectory("rialto-tck-fault");
    String what = operation + " at " + phase + " of process " + victim + ": ";
    Process job =
        launcher.launch(
            3, FaultMain.command(backend(), folder, operation, phase, victim), Map.of());
    List<ProcessHandle> started = new ArrayList<>();
    try {
      while (job.isAlive()) {
        job.descendants().filter(each -> !started.contains(each)).forEach(started::add);
        Thread.sleep(20);
      }
      long end = System.currentTimeMillis();
      assertNotEquals(0, job.exitValue(), () -> what + "exit code");
      long millis = end - FaultMain.failedAt(folder);
      assertTrue(millis < SECONDS.toMillis(), () -> what + "the job took " + millis + " ms to end");
      String said = FaultMain.said(folder);
      assertTrue(
          said.contains("rank " + victim)
              && said.contains(new Injected(victim, phase).getMessage()),
          () -> what + "the words do not name the rank and its failure:\n" + said);
      for (ProcessHandle each : started) {
        each.onExit().get(SECONDS.toSeconds(), TimeUnit.SECONDS);
      }
    } finally {
      started.forEach(ProcessHandle::destroyForcibly);
      job.destroyForcibly();
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(file);
        }
      }
    }
  }
}
