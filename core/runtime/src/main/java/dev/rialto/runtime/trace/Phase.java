package dev.rialto.runtime.trace;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** A part of a run under way; see {@link RunRecord#phase}. Phases of a thread nest. */
@Name("dev.rialto.Phase")
@Label("Phase")
@Category("Rialto")
@Description("A part of a run, as the program names it")
@StackTrace(false)
public final class Phase extends Event implements AutoCloseable {
  @Label("Phase")
  String operation;

  @Label("Rank")
  @Description("The rank whose part it is, or -1 if ranks do not share the process")
  int rank = -1;

  Phase(String name) {
    operation = name;
    begin();
  }

  /** Ends it. */
  @Override
  public void close() {
    if (shouldCommit()) {
      rank = RunRecord.currentRank();
      commit();
    }
  }
}
