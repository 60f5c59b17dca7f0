package dev.rialto.cpu;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.III_Result;

/** The consumer sees whole commands, and each producer gets a place of its own. */
public class CommandQueueStress {
  private CommandQueueStress() {}

  private static void add(CommandQueue queue, int label) {
    long number = queue.claim();
    Command command = queue.place(number);
    command.label = label;
    command.added = label;
    command.publish(number + 1);
  }

  private static int label(CommandQueue queue, long number) {
    Command command = queue.published(number);
    return command == null ? 0 : command.label instanceof Integer known ? known : -1;
  }

  /** A consumer that looks while one producer publishes. */
  @JCStressTest
  @Outcome(
      id = {"0, 0, 7", "7, 7, 7"},
      expect = ACCEPTABLE,
      desc = "all or nothing")
  @State
  public static class Publishing {
    private final CommandQueue queue = new CommandQueue();

    @Actor
    public void producer() {
      add(queue, 7);
    }

    @Actor
    public void consumer(III_Result r) {
      Command command = queue.published(0);
      if (command != null) {
        r.r1 = command.label instanceof Integer known ? known : -1;
        r.r2 = (int) command.added;
      }
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r3 = label(queue, 0);
    }
  }

  /** Two producers, the first of which makes the chunk of places. */
  @JCStressTest
  @Outcome(
      id = {"1, 2, 2", "2, 1, 2"},
      expect = ACCEPTABLE,
      desc = "both are there")
  @State
  public static class Claiming {
    private final CommandQueue queue = new CommandQueue();

    @Actor
    public void one() {
      add(queue, 1);
    }

    @Actor
    public void two() {
      add(queue, 2);
    }

    @Arbiter
    public void rest(III_Result r) {
      r.r1 = label(queue, 0);
      r.r2 = label(queue, 1);
      r.r3 = (int) queue.claimed();
    }
  }
}
