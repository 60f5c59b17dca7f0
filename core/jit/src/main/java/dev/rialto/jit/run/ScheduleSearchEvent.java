package dev.rialto.jit.run;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The JFR event of a search for one assignment's schedule. */
@Name("dev.rialto.ScheduleSearch")
@Label("Schedule Search")
@Category("Rialto")
@Description("The search for the fastest schedule of an assignment")
@StackTrace(false)
final class ScheduleSearchEvent extends Event {
  @Label("Back End")
  String backend = "";

  @Label("Program")
  String program = "";

  @Label("Node")
  String node = "";

  @Label("Schedule")
  @Description("The one that is kept")
  String schedule = "";

  @Label("Milliseconds")
  @Description("A run of the program with it")
  double millis;

  @Label("Automatic Milliseconds")
  @Description("A run of the program with the automatic schedule")
  double automaticMillis;

  @Label("Candidates")
  int candidates;

  /** Ends the event and records it, if a recording wants it. */
  void commit(
      String onBackend,
      String ofProgram,
      ScheduleSearch.Timed winner,
      double automatic,
      int candidateCount) {
    end();
    if (shouldCommit()) {
      backend = onBackend;
      program = ofProgram;
      node = winner.node();
      schedule = winner.schedule().toString();
      millis = winner.millis();
      automaticMillis = automatic;
      candidates = candidateCount;
      commit();
    }
  }
}
