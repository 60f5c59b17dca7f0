package dev.rialto.mpi;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Jobs of which some process is killed or stopped. {@code -Drialto.kills=30} adds as many for each
 * library at random, of {@code -Drialto.seed}, and tells how long they took.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES) // a machine that is busy starts three JVMs slowly
class SupervisionTest {
  /** The seconds within which a job is over, with nothing left of it. */
  private static final double LIMIT = 10;

  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource({"openmpi, RANK", "openmpi, FRONT", "mpich, SHELL", "mpich, LAUNCHER", "local, FRONT"})
  void aKilledProcessEndsTheJobAndNothingIsLeft(String library, RunningJob.Victim victim)
      throws Exception {
    try (RunningJob job = new RunningJob(library, folder)) {
      job.kill(victim, 1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void aStoppedRankIsReportedAndGoesOn(String library) throws Exception {
    try (RunningJob job = new RunningJob(library, folder)) {
      job.stop(RunningJob.Victim.RANK, 2);
      job.goOn();
      job.end();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"openmpi", "mpich"})
  void aJobEndsWhileOneOfItsProcessesIsStopped(String library) throws Exception {
    try (RunningJob job = new RunningJob(library, folder)) {
      job.stop(RunningJob.Victim.LAUNCHER, 0);
      job.end();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "openmpi", "mpich"})
  @EnabledIfSystemProperty(named = "rialto.kills", matches = "[1-9]\\d*")
  @Timeout(value = 2, unit = TimeUnit.HOURS)
  void killsAtRandomLeaveNothing(String library) throws Exception {
    long seed = Long.getLong("rialto.seed", System.nanoTime());
    Random random = new Random(seed);
    List<Double> seconds = new ArrayList<>();
    for (int kill = 0; kill < Integer.getInteger("rialto.kills"); kill++) {
      String name = "%s, kill %d of seed %d".formatted(library, kill, seed);
      Path own = Files.createDirectory(folder.resolve(library + kill));
      try (RunningJob job = new RunningJob(library, own)) {
        seconds.add(killAtRandom(job, name, random));
      }
    }
    Collections.sort(seconds);
    System.out.printf(
        "%s: %d jobs were over after %.1f to %.1f s, half of them within %.1f s%n",
        library,
        seconds.size(),
        seconds.getFirst(),
        seconds.getLast(),
        seconds.get(seconds.size() / 2));
    assertThat(seconds.getLast()).as("seconds of the slowest of %s", seconds).isLessThan(LIMIT);
  }

  /** Kills or stops some process of a job; returns the seconds until nothing was left. */
  private static double killAtRandom(RunningJob job, String name, Random random) throws Exception {
    List<RunningJob.Victim> victims = job.victims();
    RunningJob.Victim victim = victims.get(random.nextInt(victims.size()));
    int rank = random.nextInt(RunningJob.RANKS);
    boolean stop = random.nextInt(3) == 0;
    boolean goesOn = random.nextBoolean();
    String what = !stop ? "kill" : goesOn ? "stop, go on and end" : "stop and end";
    System.out.printf("%s: %s %s of rank %d%n", name, what, victim, rank);
    job.goesOnFor(random.nextInt(100)); // at any moment, not only in a certain call
    long begin = System.nanoTime();
    if (stop) {
      job.stop(victim, rank);
      if (goesOn || victim == RunningJob.Victim.FRONT) {
        job.goOn(); // a front end that is stopped cannot be asked to end
      }
      begin = System.nanoTime();
      job.end();
    } else {
      job.kill(victim, rank);
    }
    double seconds = (System.nanoTime() - begin) / 1e9;
    System.out.printf("over after %.1f s%n", seconds);
    return seconds;
  }
}
