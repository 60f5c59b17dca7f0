package dev.rialto.tck;

import java.util.ArrayList;
import java.util.List;

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
    List<RequirementResult> results = new ArrayList<>();
    try (RequirementRunner runner = new RequirementRunner()) {
      for (Catalogue.Entry entry : entries) {
        results.add(
            runner.run(
                entry,
                new Trial(
                    entry.id(),
                    options.backend(),
                    options.seed(),
                    options.limit(),
                    new ThreadRanks(options.backend(), options.ranks()))));
        options.progress().step(results.size(), entries.size(), entry.id());
      }
    }
    return new ConformanceReport(
        options.backend().name(), options.ranks(), options.seed(), results);
  }
}
