package dev.rialto.exchange;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** One thread at a time runs an exchange, and a failure is neither lost nor without its cause. */
public class RunStateStress {
  private static final RuntimeException FAILURE = new RuntimeException("a rank failed");

  private RunStateStress() {}

  private static boolean enters(RunState state) {
    try {
      state.enter("run");
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  private static boolean closes(RunState state) {
    try {
      return state.close();
    } catch (IllegalStateException e) {
      return false;
    }
  }

  /** Two threads that start the same exchange. */
  @JCStressTest
  @Outcome(
      id = {"true, false", "false, true"},
      expect = ACCEPTABLE,
      desc = "one is refused")
  @State
  public static class Entering {
    private final RunState state = new RunState("an exchange");

    @Actor
    public void one(ZZ_Result r) {
      r.r1 = enters(state);
    }

    @Actor
    public void two(ZZ_Result r) {
      r.r2 = enters(state);
    }
  }

  /** A thread that starts an exchange and one that closes it. */
  @JCStressTest
  @Outcome(
      id = {"true, false", "false, true"},
      expect = ACCEPTABLE,
      desc = "one is refused")
  @State
  public static class Closing {
    private final RunState state = new RunState("an exchange");

    @Actor
    public void one(ZZ_Result r) {
      r.r1 = enters(state);
    }

    @Actor
    public void two(ZZ_Result r) {
      r.r2 = closes(state);
    }
  }

  /** A failure while another thread asks. */
  @JCStressTest
  @Outcome(
      id = {"0, 2", "2, 2"},
      expect = ACCEPTABLE,
      desc = "usable before, refused with cause")
  @State
  public static class Failing {
    private final RunState state = new RunState("an exchange");

    private int asked() {
      try {
        state.requireUsable("run");
        return 0;
      } catch (IllegalStateException e) {
        return e.getCause() == FAILURE ? 2 : 1;
      }
    }

    @Actor
    public void failing() {
      state.fail(FAILURE);
    }

    @Actor
    public void asking(II_Result r) {
      r.r1 = asked();
    }

    @Arbiter
    public void rest(II_Result r) {
      r.r2 = asked();
    }
  }

  /** A failure while the thread that runs the exchange leaves it. */
  @JCStressTest
  @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "it has failed")
  @State
  public static class FailingWhileItEnds {
    private final RunState state = new RunState("an exchange");

    public FailingWhileItEnds() {
      state.enter("run");
    }

    @Actor
    public void running() {
      state.leave(false);
    }

    @Actor
    public void failing(ZZ_Result r) {
      r.r1 = state.fail(FAILURE);
    }

    @Arbiter
    public void rest(ZZ_Result r) {
      r.r2 = enters(state);
    }
  }
}
