package dev.rialto.tck;

import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.Launcher;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs the tests of a tag where there is no build tool: {@code TaggedTests TAG FOLDER...}, each
 * folder being on the class path. Says of each class, as it ends, how long it took. Ends with 1 if
 * a test failed or none was found.
 *
 * <p>Of the properties, {@code rialto.tests} is a pattern that the names of classes contain, and
 * {@code rialto.tests.limit} the seconds that a class may take: one that takes longer has failed,
 * shows where it is, and the next one begins.
 */
public final class TaggedTests {
  private static final int MOST_SHOWN = 20;

  private final Launcher launcher = LauncherFactory.create();
  private final PrintWriter out =
      new PrintWriter(new OutputStreamWriter(System.out, System.out.charset()), true);
  private final String tag;
  private final Duration limit = Duration.ofSeconds(Long.getLong("rialto.tests.limit", 600));
  private long run;
  private long failed;
  private long skipped;

  private TaggedTests(String tag) {
    this.tag = tag;
  }

  /** Runs the tests. */
  public static void main(String[] args) throws InterruptedException {
    TaggedTests tests = new TaggedTests(args[0]);
    for (String name : tests.classes(Arrays.stream(args).skip(1).map(Path::of).toList())) {
      tests.run(name);
    }
    tests.out.printf(
        "Tests: %d run, %d failed, %d skipped%n", tests.run, tests.failed, tests.skipped);
    System.exit(tests.failed > 0 || tests.run == tests.skipped ? 1 : 0);
  }

  private List<String> classes(List<Path> folders) {
    String pattern = System.getProperty("rialto.tests", "");
    TestPlan plan =
        launcher.discover(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(DiscoverySelectors.selectClasspathRoots(Set.copyOf(folders)))
                .filters(
                    TagFilter.includeTags(tag),
                    ClassNameFilter.includeClassNamePatterns(".*(" + pattern + ").*"))
                .build());
    return plan.getRoots().stream()
        .flatMap(root -> plan.getChildren(root).stream())
        .flatMap(each -> each.getSource().stream())
        .map(source -> ((ClassSource) source).getClassName())
        .sorted()
        .collect(Collectors.toList());
  }

  private void run(String name) throws InterruptedException {
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    Thread thread =
        Thread.ofPlatform()
            .daemon()
            .name("tests of " + name)
            .start(
                () ->
                    launcher.execute(
                        LauncherDiscoveryRequestBuilder.request()
                            .selectors(DiscoverySelectors.selectClass(name))
                            .filters(TagFilter.includeTags(tag))
                            .build(),
                        listener));
    long start = System.nanoTime();
    boolean ended = thread.join(limit);
    TestExecutionSummary summary = listener.getSummary();
    run += summary.getTestsFoundCount();
    failed += summary.getTotalFailureCount() + (ended ? 0 : 1);
    skipped += summary.getTestsAbortedCount() + summary.getTestsSkippedCount();
    out.printf(
        "%6.1f s  %d run, %d failed  %s%s%n",
        (System.nanoTime() - start) / 1e9,
        summary.getTestsFoundCount(),
        summary.getTotalFailureCount(),
        name,
        ended ? "" : " has not ended:");
    if (!ended) {
      Thread.getAllStackTraces().forEach(this::show);
    }
    summary.printFailuresTo(out, MOST_SHOWN);
  }

  private void show(Thread thread, StackTraceElement[] stack) {
    out.println(thread);
    Arrays.stream(stack).limit(MOST_SHOWN).forEach(each -> out.println("    at " + each));
  }
}
