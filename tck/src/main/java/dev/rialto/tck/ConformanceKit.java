package dev.rialto.tck;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.RankLauncher;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
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
        coverage);
  }

  private static List<RequirementResult> runHere(
      ConformanceOptions options,
      List<Catalogue.Entry> entries,
      Consumer<String> progress,
      Coverage coverage) {
    BackendProvider backend = Delays.in(options.backend(), options.seed(), options.delay());
    List<RequirementResult> results = new ArrayList<>();
    try (RequirementRunner runner = new RequirementRunner()) {
      for (Catalogue.Entry entry : entries) {
        if (!options.filter().test(entry.id())) {
          break; // nobody wants more
        }
        Ranks ranks = new ThreadRanks(backend, options.ranks());
        results.add(
            runner.run(
                entry,
                new Trial(
                    entry.id(),
                    backend,
                    options.seed(),
                    options.effort(),
                    options.limit(),
                    ranks,
                    coverage)));
        progress.accept(entry.id());
      }
    }
    return results;
  }
}
