package dev.rialto.local.window;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import dev.rialto.spi.error.PeerFailedException;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** Signals between the ranks of a window. */
public class WindowSideStress {
  private static final MemorySegment MEMORY = MemorySegment.ofArray(new byte[8]);

  private WindowSideStress() {}

  /** A rank that writes to another's memory, and that one, which closes the window. */
  @JCStressTest
  @Outcome(
      id = {"true, false", "false, true", "true, true"},
      expect = ACCEPTABLE,
      desc = "refused, or waited for")
  @State
  public static class Closing {
    private final WindowSide writers = WindowSide.of(MEMORY, 2);
    private final WindowSide targets = WindowSide.of(MEMORY, 2);

    @Actor
    public void writer(ZZ_Result r) {
      writers.touch(1);
      try {
        targets.find("put", 1, 0, 8);
      } catch (PeerFailedException e) {
        r.r1 = true;
      }
    }

    @Actor
    public void target(ZZ_Result r) {
      targets.close();
      r.r2 = writers.touches(1);
    }
  }

  /** A rank that lets another in, and that one, which sees what was written before. */
  @JCStressTest
  @Outcome(
      id = {"0, 0", "1, 1"},
      expect = ACCEPTABLE,
      desc = "with what was written before")
  @State
  public static class Post {
    private final WindowSide side = WindowSide.of(MEMORY, 2);
    private int written;

    @Actor
    public void poster() {
      written = 1;
      side.posts.getAndIncrement(1);
    }

    @Actor
    public void starter(II_Result r) {
      r.r1 = (int) side.posts.get(1);
      r.r2 = r.r1 == 0 ? 0 : written;
    }
  }

  /** Two updates of the same element. */
  @JCStressTest
  @Outcome(
      id = {"1, 2", "2, 1"},
      expect = ACCEPTABLE,
      desc = "one after the other")
  @State
  public static class Updates {
    private final WindowSide side = WindowSide.of(MEMORY, 2);
    private int count;

    private int update() {
      side.lockStripe(0);
      int now = ++count;
      side.unlockStripe(0);
      return now;
    }

    @Actor
    public void one(II_Result r) {
      r.r1 = update();
    }

    @Actor
    public void two(II_Result r) {
      r.r2 = update();
    }
  }
}
