package dev.rialto.bench;

import java.util.List;
import java.util.Optional;

/** A set of cases that are measured together. */
public interface Suite {
  /** The backend whose ranks are threads of this JVM. */
  String LOCAL = "local";

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

  /** Returns what this machine lacks for the suite; empty if nothing. */
  default Optional<String> missing() {
    return Optional.empty();
  }

  /** Hears how far a suite is. */
  @FunctionalInterface
  interface Progress {
    /** Takes one step of {@code total}. */
    void step(int done, int total, String what);
  }

  /**
   * Returns the suites of ranks that are processes.
   *
   * @param comm the backend that links them
   * @param ranks for how many ranks to measure, where that can be chosen
   */
  static List<Suite> of(String comm, List<Integer> ranks) {
    return List.of(
        new ProcessCommSuite(comm, ranks),
        new ExchangeSuite(comm),
        new FftSuite(comm),
        new SparseSuite(comm));
  }

  /** Returns the suites of this JVM. */
  static List<Suite> all() {
    return List.of(
        new CommSuite(),
        new RuntimeSuite(),
        new ExchangeSuite(LOCAL),
        new FftSuite(LOCAL),
        new SparseSuite(LOCAL),
        new KernelsSuite(),
        new CudaSuite());
  }
}
