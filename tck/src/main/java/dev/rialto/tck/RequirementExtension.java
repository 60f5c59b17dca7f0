package dev.rialto.tck;

import dev.rialto.spi.Capability;
import dev.rialto.tck.run.NotDeclared;
import dev.rialto.tck.run.NotRun;
import dev.rialto.tck.run.RankFailures;
import dev.rialto.tck.run.Refusals;
import dev.rialto.tck.run.Trial;
import dev.rialto.tck.run.Watchdog;
import java.lang.reflect.Method;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ExtensionContext.StoreScope;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/**
 * Makes a test method a requirement: checks the refusal instead where the capability is not
 * declared, takes no excuse where it is, watches the time, and puts the seed into every failure.
 */
final class RequirementExtension implements InvocationInterceptor {
  /** Where {@link dev.rialto.tck.run.RequirementRunner} leaves the trial of what it starts next. */
  private static final Namespace NAMESPACE = Namespace.create(Trial.class);

  @Override
  public void interceptTestMethod(
      Invocation<Void> invocation,
      ReflectiveInvocationContext<Method> method,
      ExtensionContext context)
      throws Throwable {
    Requirement requirement = method.getExecutable().getAnnotation(Requirement.class);
    if (requirement == null) {
      invocation.proceed();
      return;
    }
    Tck tck = (Tck) context.getRequiredTestInstance();
    Trial trial =
        Optional.ofNullable(
                context
                    .getStore(StoreScope.LAUNCHER_SESSION, NAMESPACE)
                    .get(Trial.class, Trial.class))
            .orElseGet(() -> Trial.standalone(requirement.id(), tck.backend()));
    tck.begin(trial);
    Optional<Capability> missing =
        Stream.of(requirement.capability())
            .filter(capability -> !tck.capabilities().contains(capability))
            .findFirst();
    try {
      if (missing.isPresent()) {
        invocation.skip();
        watch(trial, () -> Refusals.check(missing.get(), trial));
        throw new NotDeclared(missing.get());
      }
      watch(trial, invocation::proceed);
    } catch (NotRun | NotDeclared e) {
      throw e;
    } catch (TestAbortedException e) {
      throw failure("claimed but skipped: " + e.getMessage(), trial, e);
    } catch (Throwable e) {
      throw failure(RankFailures.words(e), trial, e);
    }
  }

  private static void watch(Trial trial, Watchdog.Work work) throws Throwable {
    Watchdog.run(trial.id(), trial.limit(), work, trial.ranks()::abort);
  }

  private static AssertionFailedError failure(String message, Trial trial, Throwable cause) {
    String text = message + " (seed " + trial.seed() + ")";
    return cause instanceof AssertionFailedError assertion && assertion.isExpectedDefined()
        ? new AssertionFailedError(text, assertion.getExpected(), assertion.getActual(), cause)
        : new AssertionFailedError(text, cause);
  }
}
