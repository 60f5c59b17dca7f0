package dev.rialto.tck.generated;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.tck.Requirement;
import dev.rialto.tck.generated.Step.Form;
import dev.rialto.tck.reference.Together;
import java.util.ArrayList;
import java.util.List;

/** Random programs of all ranks, compared with a sequential model. */
public final class GeneratedTck extends ScriptedTck {
  private static final Size TINY = Size.upTo(64);
  private static final Size SHORT = Size.upTo(1 << 13);
  private static final Size MEDIUM = Size.upTo(1 << 18);
  private static final long MIB = 1 << 20;
  private static final List<Form> BLOCKING = List.of(Form.BLOCKING);
  private static final List<Form> NON_BLOCKING = List.of(Form.NON_BLOCKING);

  @Requirement(
      id = "GEN-001",
      text = "Messages of any type, length, tag, mode, form and memory arrive as the model says.",
      capability = Capability.POINT_TO_POINT)
  void messages() {
    scripts(script -> script.messages(60, SHORT).messages(6, MEDIUM));
  }

  @Requirement(
      id = "GEN-002",
      text = "Thousands of messages may wait for their receives, which get them in order.",
      capability = {Capability.POINT_TO_POINT, Capability.NON_BLOCKING})
  void queues() {
    scripts(script -> script.queue(2500));
  }

  @Requirement(
      id = "GEN-003",
      text = "Tags that differ in a single bit are told apart.",
      capability = {Capability.POINT_TO_POINT, Capability.NON_BLOCKING})
  void similarTags() {
    scripts(script -> script.similarTags(6));
  }

  @Requirement(
      id = "GEN-004",
      text = "Communicators nested to any level keep messages and collectives apart.",
      capability = {
        Capability.POINT_TO_POINT,
        Capability.NON_BLOCKING,
        Capability.COLLECTIVES,
        Capability.SPLIT
      })
  void nested() {
    scripts(
        script -> {
          script.nest(6);
          script.add(new CrossTalkStep(List.copyOf(script.groups()), script.draw().number()));
          script.divide(30).close(15);
          script.add(new CrossTalkStep(List.copyOf(script.groups()), script.draw().number()));
          script.close(3).divide(3);
          int from = script.length();
          script.messages(10, TINY).collectives(2, TINY, BLOCKING).shuffledFrom(from).close(4);
          script.add(new CrossTalkStep(List.copyOf(script.groups()), script.draw().number()));
        });
  }

  @Requirement(
      id = "GEN-005",
      text =
          "Collectives of any type, count, root, displacements and memory give what the model"
              + " does.",
      capability = Capability.COLLECTIVES)
  void collectives() {
    scripts(script -> script.collectives(24, SHORT, BLOCKING).collectives(3, MEDIUM, BLOCKING));
  }

  @Requirement(
      id = "GEN-006",
      text = "Non-blocking collectives that overlap give what the model does.",
      capability = {Capability.COLLECTIVES, Capability.NON_BLOCKING_COLLECTIVES})
  void nonBlockingCollectives() {
    scripts(
        script -> {
          script.collectives(20, SHORT, NON_BLOCKING).collectives(2, MEDIUM, NON_BLOCKING);
          script.shuffledFrom(0);
        });
  }

  @Requirement(
      id = "GEN-007",
      text = "Persistent collectives give what the model does each time they are begun.",
      capability = {Capability.COLLECTIVES, Capability.PERSISTENT_COLLECTIVES})
  void persistentCollectives() {
    List<Form> persistent = List.of(Form.PERSISTENT);
    scripts(
        script -> {
          script.collectives(4, SHORT, persistent);
          if (script.has(Capability.REDUCTIONS)) {
            script.reductions(8, SHORT, persistent);
          }
        });
  }

  @Requirement(
      id = "GEN-008",
      text = "Reductions with every type and operator, of any count, in place or not, are exact.",
      capability = Capability.REDUCTIONS)
  void reductions() {
    scripts(
        script ->
            script
                .reductions(script.allContributions(), SHORT, BLOCKING)
                .reductions(6, MEDIUM, BLOCKING));
  }

  @Requirement(
      id = "GEN-009",
      text = "Non-blocking reductions that overlap are exact.",
      capability = {Capability.REDUCTIONS, Capability.NON_BLOCKING_COLLECTIVES})
  void nonBlockingReductions() {
    scripts(
        script ->
            script
                .reductions(script.allContributions(), SHORT, NON_BLOCKING)
                .reductions(4, MEDIUM, NON_BLOCKING)
                .shuffledFrom(0));
  }

  @Requirement(
      id = "GEN-010",
      text = "Exchanges along random topologies give what the model does.",
      capability = Capability.NEIGHBORHOODS)
  void neighborhoods() {
    scripts(script -> script.neighborhoods(24, SHORT).neighborhoods(2, MEDIUM));
  }

  @Requirement(
      id = "GEN-011",
      text = "Accesses to windows of any kind, under any synchronization, do what the model does.",
      capability = {Capability.WINDOWS, Capability.POINT_TO_POINT})
  void windows() {
    scripts(script -> script.windows(24, SHORT).windows(2, MEDIUM));
  }

  @Requirement(
      id = "GEN-012",
      text = "Operations of all kinds on many communicators at once do not disturb one another.",
      capability = {
        Capability.POINT_TO_POINT,
        Capability.NON_BLOCKING,
        Capability.COLLECTIVES,
        Capability.REDUCTIONS,
        Capability.SPLIT
      })
  void everything() {
    scripts(
        script -> {
          for (int part = 0; part < 3; part++) {
            script.divide(2);
            int from = script.length();
            script.messages(12, SHORT);
            script.collectives(2, SHORT, BLOCKING).reductions(4, SHORT, BLOCKING);
            if (script.has(Capability.NON_BLOCKING_COLLECTIVES)) {
              script.collectives(3, SHORT, NON_BLOCKING).reductions(8, SHORT, NON_BLOCKING);
            }
            if (script.has(Capability.NEIGHBORHOODS)) {
              script.neighborhoods(2, SHORT);
            }
            if (script.has(Capability.WINDOWS)) {
              script.windows(2, SHORT);
            }
            script.shuffledFrom(from).close(1);
          }
        });
  }

  @Requirement(
      id = "GEN-013",
      text = "Messages of up to 64 MiB arrive whole.",
      capability = Capability.POINT_TO_POINT)
  void largeMessages() {
    scripts(2, 3, script -> Large.messages(script, 64 * MIB));
  }

  @Requirement(
      id = "GEN-014",
      text = "Collectives and reductions of many MiB give what the model does.",
      capability = {Capability.COLLECTIVES, Capability.REDUCTIONS})
  void largeCollectives() {
    scripts(2, 3, script -> Large.collectives(script, 12 * MIB));
  }

  @Requirement(
      id = "GEN-015",
      text = "Accesses of many MiB to windows, and exchanges along topologies, are whole.",
      capability = {Capability.WINDOWS, Capability.NEIGHBORHOODS, Capability.POINT_TO_POINT})
  void largeWindows() {
    scripts(2, 3, script -> Large.windows(script, 20 * MIB));
  }

  @Requirement(
      id = "GEN-016",
      text = "Thousands of operations on one communicator leave the next as good as the first.",
      capability = {Capability.POINT_TO_POINT, Capability.COLLECTIVES, Capability.REDUCTIONS})
  void manyOperations() {
    ranks(2, 3, comm -> LongRun.of(comm, 6_000 * effort()));
  }

  @Requirement(
      id = "GEN-017",
      text = "Threads of a rank that use a communicator each do not disturb one another.",
      capability = {
        Capability.POINT_TO_POINT,
        Capability.NON_BLOCKING,
        Capability.COLLECTIVES,
        Capability.REDUCTIONS,
        Capability.SPLIT,
        Capability.MULTI_THREADED
      })
  void threads() {
    ranks(
        2,
        4,
        comm -> {
          int threads = 3;
          List<Communicator> own = new ArrayList<>();
          for (int i = 0; i < threads; i++) {
            own.add(comm.dup());
          }
          Together.run(
              threads,
              thread -> {
                script(
                    own.get(thread),
                    thread,
                    script -> {
                      script.messages(8, SHORT).collectives(3, SHORT, BLOCKING);
                      script.reductions(10, SHORT, BLOCKING).shuffledFrom(0);
                    });
              });
          own.forEach(Communicator::close);
        });
  }

  @Requirement(
      id = "GEN-018",
      text = "With a NaN among the operands, MIN and MAX give one of the operands.",
      capability = Capability.REDUCTIONS)
  void notANumber() {
    ranks(
        2,
        comm -> {
          for (ReduceOp op : List.of(ReduceOp.MIN, ReduceOp.MAX)) {
            for (DType type : List.of(DType.F32, DType.F64)) {
              NotANumber.check(comm, type, op);
            }
          }
        });
  }
}
