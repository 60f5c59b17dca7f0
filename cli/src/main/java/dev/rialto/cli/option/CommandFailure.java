package dev.rialto.cli.option;

import dev.rialto.io.FileFormatException;
import dev.rialto.sparse.io.MatrixMarketException;
import dev.rialto.spi.error.CommunicationException;
import java.io.IOException;
import java.io.Serial;
import java.io.UncheckedIOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Ends a command with a sentence for the user, what to do about it, and an exit code.
 *
 * <p>Throw it for what a user can put right. Anything else that leaves a command is printed by its
 * own message and ends with {@link ExitCode#FAILED}.
 */
public final class CommandFailure extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  private final String remedy;
  private final int exitCode;

  private CommandFailure(int exitCode, String problem, String remedy) {
    super(problem);
    this.exitCode = exitCode;
    this.remedy = remedy;
  }

  /** The options or the input are wrong. */
  public static CommandFailure usage(String problem, String remedy) {
    return new CommandFailure(ExitCode.WRONG_USAGE, problem, remedy);
  }

  /** The job was understood but could not be done. */
  public static CommandFailure failed(String problem, String remedy) {
    return new CommandFailure(ExitCode.FAILED, problem, remedy);
  }

  /** A solver did not reach its tolerance. */
  public static CommandFailure notConverged(String problem, String remedy) {
    return new CommandFailure(ExitCode.NOT_CONVERGED, problem, remedy);
  }

  /**
   * Tells what was asked wrongly from what failed, of ranks of which one threw.
   *
   * @param command the command, for its help
   */
  public static RuntimeException ofRanks(CommunicationException e, String command) {
    String help = "See 'rialto " + command + " --help'.";
    return switch (cause(e)) {
      case MatrixMarketException wrong -> usage(wrong.getMessage() + ".", "Correct the file.");
      case FileFormatException wrong -> usage(wrong.getMessage() + ".", wrong.remedy());
      case IOException failed -> failed(failed.getMessage() + ".", "");
      case UncheckedIOException failed -> failed(failed.getMessage() + ".", "");
      case IllegalArgumentException wrong -> usage(wrong.getMessage() + ".", help);
      case UnsupportedOperationException wrong -> usage(wrong.getMessage() + ".", help);
      case ArithmeticException wrong -> usage(wrong.getMessage() + ".", help);
      case OutOfMemoryError memory -> outOfMemory(memory);
      case null, default -> e;
    };
  }

  /** Returns the first thing that went wrong which is not that ranks lost one another. */
  private static @Nullable Throwable cause(Throwable e) {
    Throwable cause = e;
    while (cause instanceof CommunicationException) {
      cause = cause.getCause();
    }
    if (cause != null) {
      return cause;
    }
    return Arrays.stream(e.getSuppressed())
        .filter(each -> !(each instanceof CommunicationException))
        .findFirst()
        .orElse(null);
  }

  /** Returns the failure of a request for more memory than there is. */
  public static CommandFailure outOfMemory(OutOfMemoryError e) {
    return failed(
        "There is not enough memory: " + e.getMessage() + ".",
        "Give a smaller problem, or more heap with RIALTO_JAVA_OPTS=-Xmx32g.");
  }

  public String remedy() {
    return remedy;
  }

  public int exitCode() {
    return exitCode;
  }
}
