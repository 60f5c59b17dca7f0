package dev.rialto.exchange.tune;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** Says what searches compared, as JFR events; does nothing while none are recorded. */
public final class TuningRecord {
  private TuningRecord() {}

  /**
   * Records one way to do some work. One rank does: all have the same.
   *
   * @param work what it is a way to do
   * @param timed whether the time was measured, not estimated
   * @param chosen whether it is the answer
   */
  public static void candidate(
      String work, String scheme, String grid, double seconds, boolean timed, boolean chosen) {
    CandidateEvent event = new CandidateEvent();
    if (event.shouldCommit()) {
      event.work = work;
      event.scheme = scheme;
      event.grid = grid;
      event.seconds = seconds;
      event.timed = timed;
      event.chosen = chosen;
      event.commit();
    }
  }

  /** One of the ways that the search for the fastest compared. */
  @Name("dev.rialto.Candidate")
  @Label("Candidate")
  @Category("Rialto")
  @Description("One of the ways that the search for the fastest compared")
  @StackTrace(false)
  static final class CandidateEvent extends Event {
    @Label("Work")
    String work = "";

    @Label("Scheme")
    String scheme = "";

    @Label("Grid")
    String grid = "";

    @Label("Seconds")
    double seconds;

    @Label("Timed")
    boolean timed;

    @Label("Chosen")
    boolean chosen;
  }
}
