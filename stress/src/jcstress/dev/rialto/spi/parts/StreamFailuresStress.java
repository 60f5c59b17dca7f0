package dev.rialto.spi.parts;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.parts.CountedStream.Failures;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZZ_Result;

/** A failure of a stream is told once, and its operation stays known as failed. */
public class StreamFailuresStress {
  private static final RuntimeException FAILURE = new RuntimeException("an operation failed");

  private StreamFailuresStress() {}

  private static boolean raises(Failures failures) {
    try {
      failures.raise(1, "stream");
      return false;
    } catch (DeviceException e) {
      return true;
    }
  }

  /** Two threads that sync the stream. */
  @JCStressTest
  @Outcome(
      id = {"true, false, true", "false, true, true"},
      expect = ACCEPTABLE,
      desc = "once")
  @State
  public static class Telling {
    private final Failures failures = new Failures();

    public Telling() {
      failures.add(FAILURE, 1);
    }

    @Actor
    public void one(ZZZ_Result r) {
      r.r1 = raises(failures);
    }

    @Actor
    public void two(ZZZ_Result r) {
      r.r2 = raises(failures);
    }

    @Arbiter
    public void rest(ZZZ_Result r) {
      r.r3 = failures.at(1) == FAILURE;
    }
  }

  /** A failure while another thread syncs. */
  @JCStressTest
  @Outcome(
      id = {"true, false, true", "false, true, true"},
      expect = ACCEPTABLE,
      desc = "once")
  @State
  public static class Failing {
    private final Failures failures = new Failures();

    @Actor
    public void stream() {
      failures.add(FAILURE, 1);
    }

    @Actor
    public void syncing(ZZZ_Result r) {
      r.r1 = raises(failures);
    }

    @Arbiter
    public void rest(ZZZ_Result r) {
      r.r2 = raises(failures);
      r.r3 = failures.at(1) == FAILURE;
    }
  }
}
