package dev.rialto.exchange.tune;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The JFR event of an answer that was found or remembered. */
@Name("dev.rialto.Tuning")
@Label("Tuning")
@Category("Rialto")
@Description("The search for what is fastest, on one rank")
@StackTrace(false)
final class TuningEvent extends Event {
  @Label("Work")
  String work = "";

  @Label("Winner")
  String winner = "";

  @Label("Candidates")
  int candidates;

  @Label("Remembered")
  boolean remembered;

  @Label("Rank")
  int rank;

  /** Ends the event and records it, if it is recorded. */
  void commit(String what, Tuned found, int ofRank) {
    end();
    if (shouldCommit()) {
      work = what;
      winner = found.way().toString();
      candidates = found.candidates().size();
      remembered = found.remembered();
      rank = ofRank;
      commit();
    }
  }
}
