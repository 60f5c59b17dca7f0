package dev.rialto.cli;

/** The exit codes of the {@code rialto} command: a contract that scripts rely on. */
final class ExitCode {

  /** The job is done. */
  static final int DONE = 0;

  /** The job failed. */
  static final int FAILED = 1;

  /** The options or the input were wrong; nothing was computed. */
  static final int WRONG_USAGE = 2;

  /** A solver stopped before it reached the tolerance asked for. */
  static final int NOT_CONVERGED = 3;

  /** The user interrupted the job; the number is 128 plus that of the signal. */
  static final int INTERRUPTED = 130;

  private ExitCode() {}
}
