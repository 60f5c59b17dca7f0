package dev.rialto.tck.run;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.RankLauncher;
import dev.rialto.spi.World;
import dev.rialto.tck.Coverage;
import dev.rialto.tck.RequirementResult;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * One rank of a group of processes: runs the requirements of its {@link GroupTask} in step with the
 * others until one of them failed, or used up the world; then the kit ends it.
 */
final class RankMain {
  private static final long POLL_MILLIS = 2;
  private static final long WATCH_MILLIS = 50;
  private static final long GRACE_MILLIS = 1000;

  private final GroupTask task;
  private final GroupFolder folder;
  private final int rank;
  private volatile int current;

  private RankMain(GroupTask task, GroupFolder folder, int rank) {
    this.task = task;
    this.folder = folder;
    this.rank = rank;
  }

  /**
   * Runs as a rank.
   *
   * @param args the group's folder
   */
  public static void main(String[] args) throws Exception {
    Path path = Path.of(args[0]);
    GroupTask task = GroupTask.read(path);
    BackendProvider backend = GroupTask.backend(task.backend());
    int rank = backend.launcher().map(RankLauncher::rank).orElse(0);
    new RankMain(task, new GroupFolder(path, task.ranks()), rank).run(backend);
    // Threads that a requirement left behind must not keep the process.
    System.exit(0);
  }

  private void run(BackendProvider backend) throws Exception {
    Thread.ofPlatform().daemon().name("group watch").start(this::watch);
    BackendProvider delayed = Delays.in(backend, task.seed(), task.delay());
    try (World world = delayed.openWorld(0)) {
      for (int i = 0; i < task.items().size(); i++) {
        current = i;
        GroupTask.Item item = task.items().get(i);
        Coverage coverage = new Coverage();
        JoinedRanks ranks = new JoinedRanks(world);
        RequirementResult result =
            RequirementRunner.run(
                item.find(),
                new Trial(
                    item.id(), delayed, task.seed(), task.effort(), task.limit(), ranks, coverage));
        folder.say(
            current,
            rank,
            new GroupFolder.Word(
                result.outcome(),
                result.message(),
                result.detail(),
                !result.ranks().isEmpty(),
                ranks.spent(),
                coverage.lines()));
        if (endsAfterCurrent()) {
          // The kit ends the job: launchers complain of ranks that end without the others.
          Thread.sleep(Long.MAX_VALUE);
        }
      }
    }
  }

  /** Waits until all ranks are through with the current requirement, or one has failed. */
  private boolean endsAfterCurrent() throws InterruptedException {
    while (true) {
      List<Optional<GroupFolder.Word>> words = folder.words(current);
      if (anyFailed(words)) {
        return true;
      }
      if (words.stream().allMatch(Optional::isPresent)) {
        return words.stream().anyMatch(word -> word.orElseThrow().spent());
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  /** Ends this rank when another has failed and it does not end by itself, or the kit is gone. */
  private void watch() {
    try {
      while (isWanted() && !anyFailed(folder.words(current))) {
        Thread.sleep(WATCH_MILLIS);
      }
      Thread.sleep(GRACE_MILLIS);
      if (isWanted() && folder.word(current, rank).isEmpty()) {
        String message = "rank " + rank + " still ran when another had failed";
        folder.say(current, rank, GroupFolder.Word.lost(message, Stacks.dump()));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      Runtime.getRuntime().halt(1);
    }
  }

  private boolean isWanted() {
    return !folder.isGone() && ProcessHandle.of(task.kit()).isPresent();
  }

  private static boolean anyFailed(List<Optional<GroupFolder.Word>> words) {
    return words.stream().flatMap(Optional::stream).anyMatch(GroupFolder.Word::failed);
  }
}
