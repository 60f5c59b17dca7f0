package dev.rialto.tck.run;

import org.opentest4j.TestAbortedException;

/** A requirement could not be tried with the settings of this run, which the report shows. */
public final class NotRun extends TestAbortedException {
  private static final long serialVersionUID = 1L;

  public NotRun(String reason) {
    super("not run: " + reason);
  }

  static NotRun needsRanks(int atLeast, int atMost) {
    return new NotRun(
        "needs " + atLeast + (atMost == Integer.MAX_VALUE ? "" : " to " + atMost) + " ranks");
  }
}
