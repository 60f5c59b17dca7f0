package dev.rialto.local.message;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import dev.rialto.local.world.Group;
import dev.rialto.local.world.LocalWorld;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;

/** Messages arrive in order, each once, and none in a slot that is still read. */
public class MailboxStress {
  private static final LocalWorld WORLD = new LocalWorld(2);
  private static final MemorySegment PAYLOAD = MemorySegment.ofArray(new byte[Ring.INLINE]);

  private MailboxStress() {}

  /** Rank 1's mailbox, and the way there from rank 0. */
  private static final class Way {
    final Mailbox mailbox = new Group("stress", WORLD.ranks()).mailbox(1);
    final Outlet outlet = mailbox.outletOf(0);

    /** Sends a message of as many bytes as its tag says. */
    boolean send(int tag) {
      return outlet.offer(PAYLOAD, DType.I8, tag, tag);
    }

    /** Takes the oldest message; returns its tag, 0 if there is none and -1 if it is not whole. */
    int take() {
      Mailbox.Found found = mailbox.find(0, PointToPoint.ANY_TAG, true);
      if (found == null) {
        return 0;
      }
      return found.status().bytes() == found.status().tag() ? found.status().tag() : -1;
    }
  }

  /** A sender of two messages and a receiver. */
  @JCStressTest
  @Outcome(
      id = {"0, 0", "0, 1", "1, 0", "1, 2"},
      expect = ACCEPTABLE,
      desc = "in order")
  @State
  public static class Order {
    private final Way way = new Way();

    @Actor
    public void sender() {
      way.send(1);
      way.send(2);
    }

    @Actor
    public void receiver(II_Result r) {
      r.r1 = way.take();
      r.r2 = way.take();
    }
  }

  /** Two threads of a rank that want the same message. */
  @JCStressTest
  @Outcome(
      id = {"0, 7", "7, 0"},
      expect = ACCEPTABLE,
      desc = "one gets it")
  @State
  public static class Takers {
    private final Way way = new Way();

    public Takers() {
      way.send(7);
    }

    @Actor
    public void one(II_Result r) {
      r.r1 = way.take();
    }

    @Actor
    public void two(II_Result r) {
      r.r2 = way.take();
    }
  }

  /** A sender that waits for room in a full ring, and a receiver that makes it. */
  @JCStressTest
  @Outcome(
      id = {"0, 3", "1, 3"},
      expect = ACCEPTABLE,
      desc = "what was in the slot is read before it is used again")
  @State
  public static class FullRing {
    private final Way way = new Way();

    public FullRing() {
      for (int i = 0; i < Ring.SLOTS; i++) {
        way.send(3);
      }
    }

    @Actor
    public void sender(II_Result r) {
      r.r1 = way.send(9) ? 1 : 0;
    }

    @Actor
    public void receiver(II_Result r) {
      r.r2 = way.take();
    }
  }
}
