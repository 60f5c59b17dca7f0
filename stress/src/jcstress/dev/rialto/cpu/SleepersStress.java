package dev.rialto.cpu;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import java.util.concurrent.atomic.AtomicLong;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.J_Result;

/** No wake-up is lost: a thread that is about to sleep as its position is reached goes on. */
@JCStressTest
@Outcome(id = "1", expect = ACCEPTABLE, desc = "awake")
@State
public class SleepersStress {
  private final Sleepers sleepers = new Sleepers();
  private final AtomicLong reached = new AtomicLong();

  @Actor
  public void stream() {
    reached.set(1);
    sleepers.wake(1);
  }

  @Actor
  public void waiting(J_Result r) {
    sleepers.sleep(1, position -> reached.get() >= position);
    r.r1 = reached.get();
  }
}
