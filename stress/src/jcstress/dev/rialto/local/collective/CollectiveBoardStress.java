package dev.rialto.local.collective;

import static dev.rialto.system.AddressSpace.MEMORY;
import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import java.lang.foreign.ValueLayout;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.II_Result;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/** A cell is complete when its rank's arrival is seen; memory is not taken away while in use. */
public class CollectiveBoardStress {
  private CollectiveBoardStress() {}

  private static CollectiveOperation operation(long number) {
    CollectiveOperation operation = new CollectiveOperation(null);
    operation.number = number;
    operation.signature = 5;
    operation.commonCount = 1;
    return operation;
  }

  /** A rank that arrives in a slot that an earlier operation used, and one that waits for it. */
  @JCStressTest
  @Outcome(
      id = {"0, 0", "42, 3"},
      expect = ACCEPTABLE,
      desc = "all or nothing")
  @State
  public static class Arrival {
    private static final long NUMBER = CollectiveBoard.SLOTS;
    private final CollectiveBoard board = new CollectiveBoard(2);
    private final CollectiveOperation mine = operation(NUMBER);
    private final CollectiveOperation others = operation(NUMBER);

    public Arrival() {
      write(0, 11);
      board.arrive(0, operation(0), 0);
    }

    private void write(long number, int value) {
      MEMORY.set(ValueLayout.JAVA_INT, board.elements(0, number), value);
    }

    @Actor
    public void arriving() {
      write(NUMBER, 42);
      board.arrive(0, mine, 3);
    }

    @Actor
    public void waiting(II_Result r) {
      if (board.arrived(0, NUMBER)) {
        boolean whole = board.agrees(0, others) && board.operation(0, NUMBER) == mine;
        int value = MEMORY.get(ValueLayout.JAVA_INT, board.elements(0, NUMBER));
        r.r1 = whole ? value : -1;
        r.r2 = (int) board.departedOnArrival(0, NUMBER);
      }
    }
  }

  /** A rank that works on another's memory, and that one, which takes it away. */
  @JCStressTest
  @Outcome(
      id = {"true, false", "false, true", "true, true"},
      expect = ACCEPTABLE,
      desc = "one sees the other")
  @State
  public static class Withdrawal {
    private final CollectiveBoard board = new CollectiveBoard(2);
    private final CollectiveOperation operation = operation(0);

    @Actor
    public void worker(ZZ_Result r) {
      board.touch(1, 0);
      r.r1 = operation.withdrawn();
    }

    @Actor
    public void leaving(ZZ_Result r) {
      operation.withdraw();
      r.r2 = board.touches(1, 0);
    }
  }

  /** A rank that is through with an operation, and one that waits to use its memory again. */
  @JCStressTest
  @Outcome(
      id = {"0, 0", "1, 1"},
      expect = ACCEPTABLE,
      desc = "what was done before the departure is seen after it")
  @State
  public static class Departure {
    private final CollectiveBoard board = new CollectiveBoard(2);
    private int result;

    @Actor
    public void worker() {
      result = 1;
      board.depart(1, 1);
    }

    @Actor
    public void waiting(II_Result r) {
      r.r1 = (int) board.departed(1);
      r.r2 = r.r1 == 0 ? 0 : result;
    }
  }
}
