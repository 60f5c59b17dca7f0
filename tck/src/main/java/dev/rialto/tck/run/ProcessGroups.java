package dev.rialto.tck.run;

import dev.rialto.spi.RankLauncher;
import dev.rialto.spi.error.PeerFailedException;
import dev.rialto.tck.ConformanceOptions;
import dev.rialto.tck.Coverage;
import dev.rialto.tck.Outcome;
import dev.rialto.tck.RequirementResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Runs requirements on ranks that are processes: launches a group for each number of ranks, follows
 * it from requirement to requirement, and goes on with a new group after one that failed, hung,
 * died or used up its world.
 *
 * <p>The processes must be able to see one folder; they are meant to run on this machine.
 */
public final class ProcessGroups {
  private static final long POLL_MILLIS = 5;
  private static final Duration GRACE = Duration.ofSeconds(4);

  /** The longest time for the processes to start, before the time of the first requirement. */
  private static final Duration START = Duration.ofSeconds(60);

  private final RankLauncher launcher;
  private final ConformanceOptions options;
  private final List<Catalogue.Entry> entries;
  private final Consumer<String> progress;
  private final Coverage coverage;
  private final List<List<RequirementResult>> results = new ArrayList<>();

  private ProcessGroups(
      RankLauncher launcher,
      ConformanceOptions options,
      List<Catalogue.Entry> entries,
      Consumer<String> progress,
      Coverage coverage) {
    this.launcher = launcher;
    this.options = options;
    this.entries = entries;
    this.progress = progress;
    this.coverage = coverage;
    entries.forEach(_ -> results.add(new ArrayList<>()));
  }

  /** Runs {@code entries} with each number of ranks and merges what came out. */
  public static List<RequirementResult> run(
      RankLauncher launcher,
      ConformanceOptions options,
      List<Catalogue.Entry> entries,
      Consumer<String> progress,
      Coverage coverage) {
    if (Proxy.isProxyClass(options.backend().getClass())) {
      throw new IllegalArgumentException(
          ("the ranks of %s are processes, which cannot share an intercepted backend; give "
                  + "the backend itself")
              .formatted(options.backend().name()));
    }
    ProcessGroups groups = new ProcessGroups(launcher, options, entries, progress, coverage);
    for (int ranks : options.ranks()) {
      int next = 0;
      while (next < entries.size()) {
        try {
          next = groups.group(ranks, next);
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new IllegalStateException("interrupted while checking with " + ranks + " ranks", e);
        }
      }
    }
    return IntStream.range(0, entries.size())
        .filter(i -> !groups.results.get(i).isEmpty())
        .mapToObj(i -> merge(entries.get(i), groups.results.get(i)))
        .toList();
  }

  /** Launches one group that starts with requirement {@code first}; returns the next to run. */
  private int group(int ranks, int first) throws IOException, InterruptedException {
    if (!isWanted(first)) {
      return entries.size();
    }
    Path path = Files.createTempDirectory("rialto-tck");
    try {
      GroupTask task =
          new GroupTask(
              ProcessHandle.current().pid(),
              options.backend().getClass().getName(),
              ranks,
              options.seed(),
              options.effort(),
              options.limit().toMillis(),
              options.delay().toNanos(),
              entries.stream().skip(first).map(GroupTask.Item::of).toList());
      task.write(path);
      Process process =
          launcher.launch(ranks, GroupTask.command(RankMain.class, path.toString()), Map.of());
      try {
        GroupFolder folder = new GroupFolder(path, ranks);
        int next = first;
        while (next < entries.size()) {
          Instant start = Instant.now();
          List<Optional<GroupFolder.Word>> words = await(process, folder, next, next - first);
          Duration duration = Duration.between(start, Instant.now());
          if (!isWanted(next)) {
            return entries.size(); // what the ranks said then is a consequence
          }
          if (!requirement(next, process, words, duration)) {
            return next + 1;
          }
          next++;
        }
        boolean ended = process.waitFor(options.limit().toMillis(), TimeUnit.MILLISECONDS);
        if (!ended || process.exitValue() != 0) {
          closingFailed(ranks, ended ? "exit code " + process.exitValue() : "it hung");
        }
        return next;
      } finally {
        end(process);
      }
    } finally {
      delete(path);
    }
  }

  private boolean isWanted(int index) {
    return options.filter().test(entries.get(index).id());
  }

  /** Takes the group's words on one requirement; returns whether the group goes on after it. */
  private boolean requirement(
      int index, Process process, List<Optional<GroupFolder.Word>> words, Duration duration) {
    String exit = process.isAlive() ? "" : " (exit code " + process.exitValue() + ")";
    words.forEach(word -> word.ifPresent(said -> coverage.addAll(said.covered())));
    results.get(index).add(result(entries.get(index), words, exit, duration));
    progress.accept(entries.get(index).id());
    return words.stream().noneMatch(word -> word.map(GroupFolder.Word::isLast).orElse(true));
  }

  /**
   * Waits for the words of all ranks on one requirement, and less long once one has failed or they
   * are not wanted any more; what is missing then will not come.
   */
  private List<Optional<GroupFolder.Word>> await(
      Process process, GroupFolder folder, int index, int which) throws InterruptedException {
    long start = System.nanoTime();
    long patience = options.limit().plus(which == 0 ? START : GRACE).plus(GRACE).toNanos();
    while (true) {
      // Asked before looking for words: what an ended process said is surely there.
      boolean alive = process.isAlive();
      List<Optional<GroupFolder.Word>> words = folder.words(which);
      long waited = System.nanoTime() - start;
      if (!alive
          || waited > patience
          || words.stream().allMatch(Optional::isPresent)
          || !isWanted(index)) {
        return words;
      }
      if (words.stream().flatMap(Optional::stream).anyMatch(GroupFolder.Word::failed)) {
        patience = Math.min(patience, waited + GRACE.toNanos());
      }
      Thread.sleep(POLL_MILLIS);
    }
  }

  private static RequirementResult result(
      Catalogue.Entry entry,
      List<Optional<GroupFolder.Word>> words,
      String exit,
      Duration duration) {
    int ranks = words.size();
    List<GroupFolder.Word> said = new ArrayList<>();
    StringBuilder detail = new StringBuilder();
    for (int rank = 0; rank < ranks; rank++) {
      String lost = "with " + ranks + " ranks, rank " + rank + " ended without a word" + exit;
      GroupFolder.Word word = words.get(rank).orElse(GroupFolder.Word.lost(lost, ""));
      said.add(word);
      if (word.failed()) {
        detail.append("rank ").append(rank).append(" of ").append(ranks).append(":\n");
        detail.append(word.detail()).append('\n');
      }
    }
    // Of failures, the first that is not only the consequence of another.
    GroupFolder.Word telling =
        Stream.of(
                said.stream().filter(word -> word.failed() && !isConsequence(word)),
                said.stream().filter(GroupFolder.Word::failed),
                said.stream())
            .flatMap(Function.identity())
            .findFirst()
            .orElseThrow();
    boolean agreed = said.stream().map(GroupFolder.Word::outcome).distinct().count() == 1;
    boolean ran = said.stream().allMatch(GroupFolder.Word::ran);
    return entry.result(
        agreed ? telling.outcome() : Outcome.FAILED,
        ran ? List.of(ranks) : List.of(),
        agreed || telling.failed()
            ? telling.message()
            : "with " + ranks + " ranks, only some could run it: " + said,
        detail.toString(),
        duration.toMillis());
  }

  private static boolean isConsequence(GroupFolder.Word word) {
    return word.spent() || word.message().contains(PeerFailedException.class.getName());
  }

  private void closingFailed(int ranks, String how) {
    String message = "with " + ranks + " ranks, the world was not closed well: " + how;
    results.getLast().add(entries.getLast().result(Outcome.FAILED, List.of(), message, "", 0));
  }

  /** Makes one result of those with each number of ranks. */
  private static RequirementResult merge(Catalogue.Entry entry, List<RequirementResult> each) {
    RequirementResult telling =
        Stream.of(Outcome.FAILED, Outcome.PASSED, Outcome.NOT_DECLARED, Outcome.NOT_RUN)
            .flatMap(outcome -> each.stream().filter(result -> result.outcome() == outcome))
            .findFirst()
            .orElseThrow();
    return entry.result(
        telling.outcome(),
        each.stream()
            .filter(result -> result.outcome() == Outcome.PASSED)
            .flatMap(result -> result.ranks().stream())
            .toList(),
        telling.message(),
        telling.detail(),
        each.stream().mapToLong(RequirementResult::millis).sum());
  }

  /** Ends what still runs. */
  private static void end(Process process) throws InterruptedException {
    List<ProcessHandle> below = process.descendants().toList();
    // First of all: a launcher that sees its processes killed would complain of that.
    process.destroyForcibly();
    below.forEach(ProcessHandle::destroyForcibly);
    process.waitFor(GRACE.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static void delete(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
    }
    Files.deleteIfExists(folder);
  }
}
