package dev.rialto.tck;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.RankLauncher;
import dev.rialto.tck.run.Catalogue;
import dev.rialto.tck.run.Delays;
import dev.rialto.tck.run.ProcessGroups;
import dev.rialto.tck.run.Ranks;
import dev.rialto.tck.run.RequirementRunner;
import dev.rialto.tck.run.ThreadRanks;
import dev.rialto.tck.run.Trial;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * Checks a backend against every requirement.
 *
 * {@snippet :
 * ConformanceReport report = ConformanceKit.run(ConformanceOptions.of("local"));
 * System.out.print(report.toText());
 * }
 */
public final class ConformanceKit {
  /** The interval at which a run looks whether more is wanted. */
  private static final Duration LOOK = Duration.ofMillis(50);

  private ConformanceKit() {}

  /** Runs the requirements that the options ask for and reports on each; never hangs. */
  public static ConformanceReport run(ConformanceOptions options) {
    List<Catalogue.Entry> entries =
        Catalogue.all().stream().filter(entry -> options.filter().test(entry.id())).toList();
    Optional<RankLauncher> launcher = options.backend().launcher();
    Predicate<Catalogue.Entry> inProcesses = entry -> launcher.isPresent() && entry.onRanks();
    List<Catalogue.Entry> here = entries.stream().filter(inProcesses.negate()).toList();
    List<Catalogue.Entry> there = entries.stream().filter(inProcesses).toList();
    int total = here.size() + there.size() * options.ranks().size();
    AtomicInteger done = new AtomicInteger();
    Consumer<String> progress = id -> options.progress().step(done.incrementAndGet(), total, id);

    Coverage coverage = new Coverage();
    Map<String, RequirementResult> results = new HashMap<>();
    runHere(options, here, progress, coverage).forEach(result -> results.put(result.id(), result));
    launcher
        .map(processes -> ProcessGroups.run(processes, options, there, progress, coverage))
        .orElse(List.of())
        .forEach(result -> results.put(result.id(), result));
    return new ConformanceReport(
        options.backend().name(),
        options.ranks(),
        options.seed(),
        entries.stream().map(entry -> results.get(entry.id())).filter(Objects::nonNull).toList(),
        done.get() < total,
        coverage);
  }

  private static List<RequirementResult> runHere(
      ConformanceOptions options,
      List<Catalogue.Entry> entries,
      Consumer<String> progress,
      Coverage coverage) {
    BackendProvider backend = Delays.in(options.backend(), options.seed(), options.delay());
    List<RequirementResult> results = new ArrayList<>();
    for (Catalogue.Entry entry : entries) {
      Trial trial =
          new Trial(
              entry.id(),
              backend,
              options.seed(),
              options.effort(),
              options.limit(),
              new ThreadRanks(backend, options.ranks()),
              coverage);
      Optional<RequirementResult> result =
          whileWanted(
              entry.id(),
              () -> options.filter().test(entry.id()),
              () -> RequirementRunner.run(entry, trial),
              trial.ranks());
      if (result.isEmpty()) {
        break;
      }
      results.add(result.get());
      progress.accept(entry.id());
    }
    return results;
  }

  /** Runs a requirement on a thread of its own, which is given up once its result is not wanted. */
  private static Optional<RequirementResult> whileWanted(
      String id, BooleanSupplier wanted, Callable<RequirementResult> requirement, Ranks ranks) {
    FutureTask<RequirementResult> task = new FutureTask<>(requirement);
    if (!wanted.getAsBoolean()) {
      return Optional.empty();
    }
    Thread thread = Thread.ofPlatform().daemon().name("requirement " + id).start(task);
    try {
      do {
        if (thread.join(LOOK)) {
          return wanted.getAsBoolean() ? Optional.of(task.get()) : Optional.empty();
        }
      } while (wanted.getAsBoolean());
      ranks.abort("the run of the kit was stopped");
      thread.interrupt();
      return Optional.empty();
    } catch (ExecutionException e) {
      throw new IllegalStateException(id + " could not be run: " + e.getCause(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while checking " + id, e);
    }
  }
}
