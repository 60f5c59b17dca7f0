package dev.rialto.sparse.solve;

import dev.rialto.spi.exec.Cancellation;
import org.jspecify.annotations.Nullable;

/**
 * The limits of a solver, and its monitor.
 *
 * @param tolerance the residual to reach, as the rule measures it
 * @param maxIterations how many iterations at most
 * @param rule how the residual is measured
 * @param restart directions that GMRES and GCR keep, at most 10,000
 * @param degree the l of BiCGSTAB(l), at most 100
 * @param relaxation what Richardson's method scales each correction by
 * @param monitor hears the residual after every iteration, on each rank; null for none
 * @param cancellation asks the solver to stop, on any rank; null for none
 */
public record SolveOptions(
    double tolerance,
    int maxIterations,
    StoppingRule rule,
    int restart,
    int degree,
    double relaxation,
    @Nullable Monitor monitor,
    @Nullable Cancellation cancellation) {

  /** Each direction is a vector, and GMRES has as many numbers as their square. */
  private static final int MOST_DIRECTIONS = 10_000;

  private static final int MOST_DEGREES = 100;

  /** Hears how a solver is doing. */
  @FunctionalInterface
  public interface Monitor {
    /** Takes the residual after an iteration, 0 for the initial guess. */
    void iteration(int iteration, double residual);
  }

  /** Checks the numbers. */
  public SolveOptions {
    if (!(tolerance >= 0) || maxIterations < 0 || restart < 1 || degree < 1) {
      throw new IllegalArgumentException(
          "tolerance %g, %d iterations, restart %d, degree %d; give at least 0, 0, 1 and 1"
              .formatted(tolerance, maxIterations, restart, degree));
    }
    if (restart > MOST_DIRECTIONS || degree > MOST_DEGREES) {
      throw new IllegalArgumentException(
          "restart %d, degree %d; give at most %d and %d"
              .formatted(restart, degree, MOST_DIRECTIONS, MOST_DEGREES));
    }
    if (!Double.isFinite(relaxation)) {
      throw new IllegalArgumentException("relaxation " + relaxation + "; give a finite number");
    }
  }

  /** Returns what all ranks must have alike. */
  String numbers() {
    return "tolerance %s of %s, %d iterations, restart %d, degree %d, relaxation %s"
        .formatted(tolerance, rule, maxIterations, restart, degree, relaxation);
  }

  /** A residual of 10^-6 of the right-hand side's in at most 1000 iterations. */
  public static SolveOptions standard() {
    return new SolveOptions(1e-6, 1000, StoppingRule.RIGHT_HAND_SIDE, 30, 2, 1, null, null);
  }

  /** Returns these with another tolerance. */
  public SolveOptions withTolerance(double value) {
    return new SolveOptions(
        value, maxIterations, rule, restart, degree, relaxation, monitor, cancellation);
  }

  /** Returns these with another limit of iterations. */
  public SolveOptions withMaxIterations(int value) {
    return new SolveOptions(
        tolerance, value, rule, restart, degree, relaxation, monitor, cancellation);
  }

  /** Returns these with another stopping rule. */
  public SolveOptions withRule(StoppingRule value) {
    return new SolveOptions(
        tolerance, maxIterations, value, restart, degree, relaxation, monitor, cancellation);
  }

  /** Returns these with another restart. */
  public SolveOptions withRestart(int value) {
    return new SolveOptions(
        tolerance, maxIterations, rule, value, degree, relaxation, monitor, cancellation);
  }

  /** Returns these with another degree. */
  public SolveOptions withDegree(int value) {
    return new SolveOptions(
        tolerance, maxIterations, rule, restart, value, relaxation, monitor, cancellation);
  }

  /** Returns these with another relaxation. */
  public SolveOptions withRelaxation(double value) {
    return new SolveOptions(
        tolerance, maxIterations, rule, restart, degree, value, monitor, cancellation);
  }

  /** Returns these with a monitor. */
  public SolveOptions withMonitor(Monitor value) {
    return new SolveOptions(
        tolerance, maxIterations, rule, restart, degree, relaxation, value, cancellation);
  }

  /** Returns these with a switch that stops the solver. */
  public SolveOptions withCancellation(Cancellation value) {
    return new SolveOptions(
        tolerance, maxIterations, rule, restart, degree, relaxation, monitor, value);
  }
}
