package dev.rialto.runtime.memory;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZI_Result;

/** Of two threads that give a block back, one does, and its source gets it once. */
@JCStressTest
@Outcome(
    id = {"true, false, 1", "false, true, 1"},
    expect = ACCEPTABLE,
    desc = "once")
@State
public class BlockStress {
  private final AtomicInteger released = new AtomicInteger();
  private final Block block =
      new Block(MemorySegment.NULL, 0, _ -> released.incrementAndGet(), null);

  @Actor
  public void one(ZZI_Result r) {
    r.r1 = block.release(0);
  }

  @Actor
  public void two(ZZI_Result r) {
    r.r2 = block.release(0);
  }

  @Arbiter
  public void rest(ZZI_Result r) {
    r.r3 = released.get();
  }
}
