package dev.rialto.tck;

import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TagFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/**
 * Runs the tests of a tag where there is no build tool: {@code TaggedTests TAG FOLDER...}, each
 * folder being on the class path. Ends with 1 if a test failed or none was found.
 */
public final class TaggedTests {
  private static final int MOST_SHOWN = 20;

  private TaggedTests() {}

  /** Runs the tests. */
  public static void main(String[] args) {
    Set<Path> folders =
        Arrays.stream(args).skip(1).map(Path::of).collect(Collectors.toUnmodifiableSet());
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .selectors(DiscoverySelectors.selectClasspathRoots(folders))
            .filters(TagFilter.includeTags(args[0]))
            // A test that hangs is ended, and shows where it hung.
            .configurationParameter("junit.jupiter.execution.timeout.default", "120 s")
            .configurationParameter("junit.jupiter.execution.timeout.threaddump.enabled", "true")
            .build();
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create().execute(request, listener);
    TestExecutionSummary summary = listener.getSummary();
    PrintWriter out =
        new PrintWriter(new OutputStreamWriter(System.out, System.out.charset()), true);
    summary.printFailuresTo(out, MOST_SHOWN);
    out.printf(
        "Tests: %d run, %d failed, %d skipped%n",
        summary.getTestsFoundCount(),
        summary.getTotalFailureCount(),
        summary.getTestsAbortedCount() + summary.getTestsSkippedCount());
    System.exit(
        summary.getTotalFailureCount() > 0 || summary.getTestsSucceededCount() == 0 ? 1 : 0);
  }
}
