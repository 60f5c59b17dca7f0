package dev.rialto.local.window;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** A window's lock keeps writers apart, and a ticket that is given up blocks no thread. */
public class FairLockStress {
  private FairLockStress() {}

  private static void enterExclusive(FairLock lock) {
    long ticket = lock.ask();
    while (!lock.enterExclusive(ticket)) {
      Thread.onSpinWait();
    }
  }

  /** Two writers. */
  @JCStressTest
  @Outcome(
      id = {"1, 2", "2, 1"},
      expect = ACCEPTABLE,
      desc = "one after the other")
  @State
  public static class Writers {
    private final FairLock lock = new FairLock();
    private int count;

    @Actor
    public void one(II_Result r) {
      enterExclusive(lock);
      r.r1 = ++count;
      lock.leaveExclusive();
    }

    @Actor
    public void two(II_Result r) {
      enterExclusive(lock);
      r.r2 = ++count;
      lock.leaveExclusive();
    }
  }

  /** A writer and a reader. */
  @JCStressTest
  @Outcome(
      id = {"0, 0", "2, 2"},
      expect = ACCEPTABLE,
      desc = "before or after the writer")
  @State
  public static class WriterAndReader {
    private final FairLock lock = new FairLock();
    private int one;
    private int two;

    @Actor
    public void writer() {
      enterExclusive(lock);
      one = 2;
      two = 2;
      lock.leaveExclusive();
    }

    @Actor
    public void reader(II_Result r) {
      long ticket = lock.ask();
      while (!lock.enterShared(ticket)) {
        Thread.onSpinWait();
      }
      r.r1 = one;
      r.r2 = two;
      lock.leaveShared();
    }
  }

  /** A writer that gives up and one that does not. */
  @JCStressTest
  @Outcome(id = "0, 1", expect = ACCEPTABLE, desc = "the other gets in")
  @State
  public static class GivingUp {
    private final FairLock lock = new FairLock();
    private int count;

    @Actor
    public void impatient() {
      lock.giveUpExclusive(lock.ask());
    }

    @Actor
    public void patient(II_Result r) {
      enterExclusive(lock);
      r.r2 = ++count;
      lock.leaveExclusive();
    }
  }
}
