package dev.rialto.cli;

import java.io.Serial;

/**
 * Ends a command with a sentence for the user, what to do about it, and an exit code.
 *
 * <p>Throw it for what a user can put right. Anything else that leaves a command is printed by its
 * own message and ends with {@link ExitCode#FAILED}.
 */
final class CommandFailure extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  private final String remedy;
  private final int exitCode;

  private CommandFailure(int exitCode, String problem, String remedy) {
    super(problem);
    this.exitCode = exitCode;
    this.remedy = remedy;
  }

  /** The options or the input are wrong. */
  static CommandFailure usage(String problem, String remedy) {
    return new CommandFailure(ExitCode.WRONG_USAGE, problem, remedy);
  }

  /** The job was understood but could not be done. */
  static CommandFailure failed(String problem, String remedy) {
    return new CommandFailure(ExitCode.FAILED, problem, remedy);
  }

  /** A solver did not reach its tolerance. */
  static CommandFailure notConverged(String problem, String remedy) {
    return new CommandFailure(ExitCode.NOT_CONVERGED, problem, remedy);
  }

  String remedy() {
    return remedy;
  }

  int exitCode() {
    return exitCode;
  }
}
