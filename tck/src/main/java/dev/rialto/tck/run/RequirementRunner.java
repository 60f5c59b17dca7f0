package dev.rialto.tck.run;

import dev.rialto.tck.Outcome;
import dev.rialto.tck.RequirementResult;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.engine.support.store.Namespace;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.LauncherSession;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherConfig;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs requirements one at a time through JUnit, so that they run here exactly as in a build.
 *
 * <p>What a requirement needs to know reaches it through the session's store, not through anything
 * static: several runs can go on at once.
 */
public final class RequirementRunner implements AutoCloseable {
  /** Where a requirement finds its trial. */
  private static final Namespace SESSION = Namespace.create(Trial.class);

  private final LauncherSession session =
      LauncherFactory.openSession(
          LauncherConfig.builder()
              .enableLauncherSessionListenerAutoRegistration(false)
              .enableLauncherDiscoveryListenerAutoRegistration(false)
              .enableTestExecutionListenerAutoRegistration(false)
              .enablePostDiscoveryFilterAutoRegistration(false)
              .build());

  public RequirementResult run(Catalogue.Entry entry, Trial trial) {
    long start = System.nanoTime();
    session.getStore().put(SESSION, Trial.class, trial);
    LauncherDiscoveryRequest request =
        LauncherDiscoveryRequestBuilder.request()
            .enableImplicitConfigurationParameters(false)
            .filters(EngineFilter.includeEngines("junit-jupiter"))
            .selectors(DiscoverySelectors.selectMethod(entry.tests(), entry.method()))
            .build();
    Verdict verdict = new Verdict();
    session.getLauncher().execute(request, verdict);
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    return entry.result(
        verdict.outcome, trial.ranks().ran(), verdict.message, verdict.detail, millis);
  }

  @Override
  public void close() {
    session.close();
  }

  /** Listens to the one test there is; its containers speak up only when they fail. */
  private static final class Verdict implements TestExecutionListener {
    private Outcome outcome = Outcome.FAILED;
    private String message = "JUnit found no test for it";
    private String detail = "";

    @Override
    public void executionFinished(TestIdentifier identifier, TestExecutionResult result) {
      if (result.getThrowable().isPresent()) {
        Throwable failure = result.getThrowable().get();
        outcome =
            switch (failure) {
              case NotDeclared _ -> Outcome.NOT_DECLARED;
              case NotRun _ -> Outcome.NOT_RUN;
              default -> Outcome.FAILED;
            };
        message = RankFailures.words(failure);
        detail = outcome == Outcome.FAILED ? detail(failure) : "";
      } else if (identifier.isTest()) {
        outcome = Outcome.PASSED;
        message = "";
      }
    }

    private static String detail(Throwable failure) {
      for (Throwable at = failure; at != null; at = at.getCause()) {
        if (at instanceof Watchdog.TimeUp timeUp) {
          return timeUp.stacks();
        }
      }
      StringWriter text = new StringWriter();
      failure.printStackTrace(new PrintWriter(text));
      return text.toString();
    }
  }
}
