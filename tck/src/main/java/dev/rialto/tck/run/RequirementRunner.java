package dev.rialto.tck.run;

import dev.rialto.spi.Capability;
import dev.rialto.tck.Outcome;
import dev.rialto.tck.RequirementResult;
import dev.rialto.tck.Tck;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Constructor;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.opentest4j.TestAbortedException;

/**
 * Runs one requirement: checks the refusal instead where a capability is not declared, takes no
 * excuse where it is, watches the time, and puts the seed into every failure.
 */
public final class RequirementRunner {
  private RequirementRunner() {}

  public static RequirementResult run(Catalogue.Entry entry, Trial trial) {
    long start = System.nanoTime();
    Outcome outcome = Outcome.PASSED;
    String message = "";
    String detail = "";
    try {
      Watchdog.run(trial.id(), trial.limit(), () -> test(entry, trial), trial.ranks()::abort);
    } catch (NotDeclared e) {
      outcome = Outcome.NOT_DECLARED;
      message = RankFailures.words(e);
    } catch (NotRun e) {
      outcome = Outcome.NOT_RUN;
      message = RankFailures.words(e);
    } catch (Throwable e) {
      outcome = Outcome.FAILED;
      message =
          (e instanceof TestAbortedException ? "claimed but skipped: " : "")
              + RankFailures.words(e)
              + " (seed "
              + trial.seed()
              + ")";
      detail = e instanceof Watchdog.TimeUp timeUp ? timeUp.stacks() : stack(e);
    }
    long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    return entry.result(outcome, trial.ranks().ran(), message, detail, millis);
  }

  private static void test(Catalogue.Entry entry, Trial trial) throws Throwable {
    Optional<Capability> missing =
        entry.capabilities().stream()
            .filter(capability -> !trial.backend().capabilities().contains(capability))
            .findFirst();
    if (missing.isPresent()) {
      Refusals.check(missing.get(), trial);
      throw new NotDeclared(missing.get());
    }
    Constructor<? extends Tck> constructor = entry.tests().getDeclaredConstructor();
    constructor.setAccessible(true);
    constructor.newInstance().run(trial, entry.declared(), entry.method());
  }

  private static String stack(Throwable failure) {
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    return text.toString();
  }
}
