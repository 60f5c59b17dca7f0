package dev.rialto.local.rank;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Threads of one rank change what is guarded one after the other. */
@JCStressTest
@Outcome(
    id = {"1, 2", "2, 1"},
    expect = ACCEPTABLE,
    desc = "one after the other")
@State
public class GuardedStress {
  private static final class Counter extends Guarded {
    int count;

    int next() {
      lock();
      int now = ++count;
      unlock();
      return now;
    }
  }

  private final Counter counter = new Counter();

  @Actor
  public void one(II_Result r) {
    r.r1 = counter.next();
  }

  @Actor
  public void two(II_Result r) {
    r.r2 = counter.next();
  }
}
