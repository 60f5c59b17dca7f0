package dev.rialto.tck.run;

import dev.rialto.spi.World;
import dev.rialto.spi.error.PeerFailedException;
import java.util.Collection;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.opentest4j.AssertionFailedError;
import org.opentest4j.TestAbortedException;

/**
 * Runs a body in a world and says which rank failed first, and how.
 *
 * <p>It does not rely on the world to tell: a rank's failure is noted where it is thrown. That the
 * others then fail for want of a peer is no news and only kept as suppressed.
 */
public final class RankFailures {
  private record Failure(int rank, Throwable what) {}

  private RankFailures() {}

  static void run(World world, World.RankBody body) {
    Collection<Failure> failures = new ConcurrentLinkedQueue<>();
    AtomicBoolean killed = new AtomicBoolean();
    Throwable thrown = null;
    try {
      world.run(
          comm -> {
            try {
              body.run(comm);
            } catch (Killed e) {
              killed.set(true);
              throw e;
            } catch (Throwable e) {
              failures.add(new Failure(comm.rank(), e));
              throw e;
            }
          });
    } catch (RuntimeException | Error e) {
      thrown = e;
    }
    if (!failures.isEmpty()) {
      throw first(world, failures);
    }
    if (thrown != null && !killed.get()) {
      throw new AssertionFailedError(
          in(world) + "no rank failed, but the world did: " + thrown, thrown);
    }
  }

  private static AssertionError first(World world, Collection<Failure> failures) {
    Failure first =
        failures.stream()
            .filter(f -> !(f.what() instanceof PeerFailedException))
            .findFirst()
            .orElse(failures.iterator().next());
    String message = in(world) + "rank " + first.rank() + ": " + words(first.what());
    AssertionFailedError error =
        first.what() instanceof AssertionFailedError assertion && assertion.isExpectedDefined()
            ? new AssertionFailedError(
                message, assertion.getExpected(), assertion.getActual(), assertion)
            : new AssertionFailedError(message, first.what());
    failures.stream().filter(f -> !f.equals(first)).forEach(f -> error.addSuppressed(f.what()));
    return error;
  }

  private static String in(World world) {
    return "with " + world.size() + (world.size() == 1 ? " rank, " : " ranks, ");
  }

  /** Returns an assertion's own words, and other failures with their type. */
  public static String words(Throwable failure) {
    return (failure instanceof AssertionError || failure instanceof TestAbortedException)
            && failure.getMessage() != null
        ? failure.getMessage()
        : failure.toString();
  }
}
