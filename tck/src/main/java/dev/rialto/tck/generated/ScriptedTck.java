package dev.rialto.tck.generated;

import dev.rialto.spi.comm.Communicator;
import dev.rialto.tck.Tck;
import dev.rialto.tck.generated.Step.Form;
import dev.rialto.tck.reference.RankMemory;
import java.util.function.Consumer;

/** A class of requirements that are checked by random programs of all ranks. */
public abstract class ScriptedTck extends Tck {
  /** Makes a script on each rank and runs it, for numbers of ranks within limits. */
  protected final void scripts(int atLeast, int atMost, Consumer<Script> write) {
    ranks(
        atLeast,
        atMost,
        comm -> {
          for (int round = 0; round < effort(); round++) {
            script(comm, round, write);
          }
        });
  }

  /** Makes a script on each rank and runs it, once for each round of the run's effort. */
  protected final void scripts(Consumer<Script> write) {
    scripts(1, Integer.MAX_VALUE, write);
  }

  /** Runs a script on one communicator. */
  protected final void script(Communicator comm, long salt, Consumer<Script> write)
      throws Exception {
    long seed = RankMemory.key(random().nextLong(), comm.size(), salt);
    Script script = new Script(seed, comm);
    write.accept(script);
    script.run(comm, coverage(), seed);
  }

  /** Does some collectives on one communicator, and checks what they do. */
  protected final void collectives(Communicator comm, Kind... kinds) throws Exception {
    script(
        comm,
        0,
        script -> {
          for (Kind kind : kinds) {
            script.collective(kind, Form.BLOCKING);
          }
        });
  }
}
