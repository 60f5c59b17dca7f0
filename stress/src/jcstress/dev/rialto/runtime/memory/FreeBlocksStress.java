package dev.rialto.runtime.memory;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** A free block goes to one thread, and one that is given back meanwhile is not lost. */
public class FreeBlocksStress {
  private static final Block[] BLOCKS = {block(), block()};

  private FreeBlocksStress() {}

  private static Block block() {
    return new Block(MemorySegment.NULL, 0, _ -> {}, null);
  }

  private static int number(Block block) {
    return block == BLOCKS[0] ? 1 : block == BLOCKS[1] ? 2 : 0;
  }

  /** Two threads take a block each. */
  @JCStressTest
  @Outcome(
      id = {"1, 2, 0", "2, 1, 0"},
      expect = ACCEPTABLE,
      desc = "each has its own")
  @State
  public static class Taking {
    private final FreeBlocks free = new FreeBlocks();

    public Taking() {
      free.push(0, BLOCKS[0]);
      free.push(0, BLOCKS[1]);
    }

    @Actor
    public void one(III_Result r) {
      r.r1 = number(free.pop(0));
    }

    @Actor
    public void two(III_Result r) {
      r.r2 = number(free.popIdle(0));
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r3 = number(free.pop(0));
    }
  }

  /** One thread takes a block and gives it back while another takes one. */
  @JCStressTest
  @Outcome(
      id = {"1, 2, 1", "2, 1, 2", "2, 2, 1"},
      expect = ACCEPTABLE,
      desc = "none is lost")
  @State
  public static class Returning {
    private final FreeBlocks free = new FreeBlocks();

    public Returning() {
      free.push(0, BLOCKS[0]);
      free.push(0, BLOCKS[1]);
    }

    @Actor
    public void one(III_Result r) {
      Block block = free.pop(0);
      r.r1 = number(block);
      free.push(0, block);
    }

    @Actor
    public void two(III_Result r) {
      r.r2 = number(free.pop(0));
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r3 = number(free.pop(0));
      if (free.pop(0) != null) {
        r.r3 = -1;
      }
    }
  }
}
