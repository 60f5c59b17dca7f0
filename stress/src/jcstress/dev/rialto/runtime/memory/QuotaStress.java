package dev.rialto.runtime.memory;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZJ_Result;

/** Two requests that exceed a quota together are not both granted. */
@JCStressTest
@Outcome(
    id = {"true, false, 60", "false, true, 70"},
    expect = ACCEPTABLE,
    desc = "one fits")
@State
public class QuotaStress {
  private final Quota quota = new Quota(100);

  @Actor
  public void one(ZZJ_Result r) {
    r.r1 = quota.take(60);
  }

  @Actor
  public void two(ZZJ_Result r) {
    r.r2 = quota.take(70);
  }

  @Arbiter
  public void rest(ZZJ_Result r) {
    r.r3 = quota.used();
  }
}
