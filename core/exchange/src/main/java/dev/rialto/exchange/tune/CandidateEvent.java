package dev.rialto.exchange.tune;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The JFR event of one way to do some work that a search compared with others. */
@Name("dev.rialto.Candidate")
@Label("Candidate")
@Category("Rialto")
@Description("One of the ways that the search for the fastest compared")
@StackTrace(false)
final class CandidateEvent extends Event {
  @Label("Work")
  String work = "";

  @Label("Scheme")
  String scheme = "";

  @Label("Grid")
  String grid = "";

  @Label("Seconds")
  double seconds;

  @Label("Timed")
  @Description("Whether it was measured, not estimated")
  boolean timed;

  @Label("Chosen")
  boolean chosen;

  private CandidateEvent() {}

  /** Records one, if somebody wants to know. */
  static void commit(String work, Tuned.Candidate candidate, boolean chosen) {
    CandidateEvent event = new CandidateEvent();
    if (event.shouldCommit()) {
      event.work = work;
      event.scheme = candidate.scheme();
      event.grid = candidate.grid();
      event.seconds = candidate.seconds();
      event.timed = candidate.timed();
      event.chosen = chosen;
      event.commit();
    }
  }
}
