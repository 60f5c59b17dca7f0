package dev.rialto.exchange.tune;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The JFR event of one turn of a race. What happens in it is not the program's work. */
@Name("dev.rialto.Trial")
@Label("Trial")
@Category("Rialto")
@Description("One turn of the search for what is fastest, on one rank")
@StackTrace(false)
final class TrialEvent extends Event {
  @Label("Trial")
  String operation = "";

  @Label("Rank")
  int rank;

  /** Ends the event and records it, if it is recorded. */
  void commit(Object what, int ofRank) {
    if (shouldCommit()) {
      operation = what.toString();
      rank = ofRank;
      commit();
    }
  }
}
