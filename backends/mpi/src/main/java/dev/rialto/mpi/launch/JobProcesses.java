package dev.rialto.mpi.launch;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * The processes of a job on this machine: the launcher, what it has started, the ranks' shells and
 * the ranks. They are remembered from when they were first seen, as one whose parent is killed is
 * no longer a descendant of the launcher.
 */
final class JobProcesses {
  /** After how long a stopped process is reported. */
  private static final Duration SILENCE =
      Duration.ofSeconds(Long.getLong("rialto.mpi.silence", 10));

  private static final Duration KILL_LIMIT = Duration.ofSeconds(2);

  /** A rank's shell and the process below it, unless they had ended when they were looked for. */
  private record Rank(Optional<ProcessHandle> shell, Optional<ProcessHandle> below) {
    boolean lostShell() {
      return shell.isEmpty() || ProcessState.hasEnded(shell.get());
    }

    Stream<ProcessHandle> processes() {
      return Stream.concat(shell.stream(), below.stream());
    }
  }

  private final Process launcher;
  private final Map<Integer, Rank> ranks = new TreeMap<>();
  private final Set<ProcessHandle> seen = new HashSet<>();
  private final Map<ProcessHandle, Long> stoppedSince = new HashMap<>();
  private final Set<ProcessHandle> reported = new HashSet<>();

  JobProcesses(Process launcher) {
    this.launcher = launcher;
    seen.add(launcher.toHandle());
  }

  /** Takes the numbers over that ranks have noted. */
  synchronized void note(Map<Integer, long[]> numbers) {
    numbers.forEach(
        (rank, pair) ->
            ranks.computeIfAbsent(
                rank, any -> new Rank(ProcessHandle.of(pair[0]), ProcessHandle.of(pair[1]))));
  }

  /** Returns the ranks whose shells have gone, of those that have not ended. */
  synchronized List<Integer> withoutShell(Set<Integer> ended) {
    return ranks.entrySet().stream()
        .filter(each -> !ended.contains(each.getKey()) && each.getValue().lostShell())
        .map(Map.Entry::getKey)
        .toList();
  }

  /** Looks at all processes; returns what there is to report of those that are stopped. */
  synchronized List<String> look(long now) {
    launcher.descendants().forEach(seen::add);
    seen.removeIf(process -> !process.isAlive());
    return all().stream()
        .filter(process -> hasLongBeenStopped(process, now))
        .map(this::report)
        .toList();
  }

  private Set<ProcessHandle> all() {
    Set<ProcessHandle> all = new HashSet<>(seen);
    ranks.values().stream().flatMap(Rank::processes).forEach(all::add);
    return all;
  }

  private boolean hasLongBeenStopped(ProcessHandle process, long now) {
    if (ProcessState.of(process) != ProcessState.STOPPED) {
      stoppedSince.remove(process);
      reported.remove(process);
      return false;
    }
    long since = stoppedSince.computeIfAbsent(process, any -> now);
    return now - since >= SILENCE.toNanos() && reported.add(process);
  }

  private String report(ProcessHandle process) {
    return "%s has not answered for %d s: process %d is stopped; 'kill -CONT %d' lets it go on"
        .formatted(name(process), SILENCE.toSeconds(), process.pid(), process.pid());
  }

  private String name(ProcessHandle process) {
    for (Map.Entry<Integer, Rank> each : ranks.entrySet()) {
      if (each.getValue().below().equals(Optional.of(process))) {
        return "rank " + each.getKey();
      }
      if (each.getValue().shell().equals(Optional.of(process))) {
        return "the shell of rank " + each.getKey();
      }
    }
    return process.equals(launcher.toHandle()) ? "the launcher" : "a process of the job";
  }

  /** Kills what is left, and waits until it has gone. */
  synchronized void killAll() throws InterruptedException {
    launcher.descendants().forEach(seen::add);
    Set<ProcessHandle> all = all();
    // What a killed process has started is no longer below the launcher.
    all.addAll(all.stream().flatMap(ProcessHandle::descendants).toList());
    all.forEach(
        process -> {
          if (process.isAlive()) {
            process.destroyForcibly();
          }
        });
    long end = System.nanoTime() + KILL_LIMIT.toNanos();
    while (!all.stream().allMatch(ProcessState::hasEnded) && System.nanoTime() < end) {
      TimeUnit.MILLISECONDS.sleep(10);
    }
  }
}
