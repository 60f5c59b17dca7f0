package dev.rialto.bench;

import java.util.List;

/** A set of cases that are measured together. */
public interface Suite {
  /** Returns the name on the command line. */
  String name();

  /** Returns one line on what is measured. */
  String description();

  /**
   * Measures all cases.
   *
   * @param quick whether a rough answer in seconds is wanted
   * @param progress is told what is being measured
   */
  BenchReport run(boolean quick, Progress progress);

  /** Hears how far a suite is. */
  @FunctionalInterface
  interface Progress {
    /** Takes one step of {@code total}. */
    void step(int done, int total, String what);
  }

  /** Returns all suites. */
  static List<Suite> all() {
    return List.of(new CommSuite());
  }
}
