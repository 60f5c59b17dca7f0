package dev.rialto.cli.option;

/** The exit codes of the {@code rialto} command: a contract that scripts rely on. */
public final class ExitCode {

  /** The job is done. */
  public static final int DONE = 0;

  /** The job failed. */
  public static final int FAILED = 1;

  /** The options or the input were wrong; nothing was computed. */
  public static final int WRONG_USAGE = 2;

  /** A solver stopped before it reached the tolerance asked for. */
  public static final int NOT_CONVERGED = 3;

  /** The user interrupted the job; the number is 128 plus that of the signal. */
  public static final int INTERRUPTED = 130;

  private ExitCode() {}
}
