package dev.rialto.bench;

import dev.rialto.bench.comm.CommSuite;
import dev.rialto.bench.comm.ExchangeSuite;
import dev.rialto.bench.comm.ProcessCommSuite;
import dev.rialto.bench.gpu.CudaSuite;
import dev.rialto.bench.kernels.KernelsSuite;
import dev.rialto.bench.language.LanguageSuite;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.function.IntConsumer;

/** A set of cases that are measured together. */
public interface Suite {
  /** The backend whose ranks are threads of this JVM. */
  String LOCAL = "local";

  /** Returns the name on the command line. */
  String name();

  /**
   * Measures all cases, or those that are done when {@code progress} asks to stop.
   *
   * @param quick whether a rough answer in seconds is wanted
   * @param progress is told what is being measured
   */
  BenchReport run(boolean quick, Progress progress);

  /** Returns what this machine lacks for the suite; empty if nothing. */
  default Optional<String> missing() {
    return Optional.empty();
  }

  /** Returns the suite for another device than the host's cores; empty if it has none. */
  default Optional<Suite> on(String device) {
    return Optional.empty();
  }

  /** Hears how far a suite is, and may ask it to stop. */
  @FunctionalInterface
  interface Progress {
    /** Asks of nothing to stop, and shows nothing. */
    Progress NONE = (_, _, _) -> {};

    /** Takes one step of {@code total}. */
    void step(int done, int total, String what);

    /** Returns whether to stop, with what is measured by then. */
    default boolean stop() {
      return false;
    }

    /**
     * Does nothing unless it is time to stop. Suites ask at least every few seconds.
     *
     * @throws CancellationException if it is
     */
    default void check() {
      if (stop()) {
        throw new CancellationException("measuring was stopped");
      }
    }

    /**
     * Measures so many rounds, or those until it is time to stop.
     *
     * @return whether the end was reached
     */
    default boolean rounds(int rounds, IntConsumer round) {
      return measure(
          () -> {
            for (int i = 0; i < rounds; i++) {
              step(i, rounds, "round " + (i + 1) + " of " + rounds);
              check();
              round.accept(i);
            }
            step(rounds, rounds, "done");
          });
    }

    /**
     * Measures to the end, or until it is time to stop.
     *
     * @return whether the end was reached
     */
    default boolean measure(Runnable work) {
      try {
        check();
        work.run();
        return true;
      } catch (RuntimeException e) {
        if (stop()) {
          return false; // ranks and peers that are stopped too fail in many ways
        }
        throw e;
      }
    }
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
        new LanguageSuite("cpu:0"),
        new CudaSuite());
  }
}
