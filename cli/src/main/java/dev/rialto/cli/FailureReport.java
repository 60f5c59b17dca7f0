package dev.rialto.cli;

import dev.rialto.cli.option.CommandFailure;
import dev.rialto.cli.option.ExitCode;
import dev.rialto.cli.output.CommandName;
import dev.rialto.cli.output.NearestName;
import dev.rialto.spi.error.BackendException;
import java.io.PrintWriter;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * The one place through which a failure leaves the command line: a sentence, a remedy and an exit
 * code on standard error, and the stack trace only for those who ask.
 */
final class FailureReport implements IParameterExceptionHandler, IExecutionExceptionHandler {

  private final boolean debugByEnvironment;

  FailureReport(boolean debugByEnvironment) {
    this.debugByEnvironment = debugByEnvironment;
  }

  @Override
  public int handleParseException(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    String remedy = suggestion(e);
    if (remedy == null) {
      remedy = "See '" + command.getCommandSpec().qualifiedName() + " --help'.";
    }
    // Options are not reliably parsed at this point, so the arguments are asked directly.
    print(command, e, problem(e), remedy, debugByEnvironment || List.of(args).contains("--debug"));
    return ExitCode.WRONG_USAGE;
  }

  @Override
  public int handleExecutionException(
      Exception e, CommandLine command, @Nullable ParseResult parsed) {
    boolean debug = debugByEnvironment || Main.of(command).debug();
    return switch (known(e)) {
      case CommandFailure failure -> {
        print(command, failure, sentence(failure), failure.remedy(), debug);
        yield failure.exitCode();
      }
      case BackendException missing -> {
        print(command, missing, sentence(missing), "'rialto info' lists what there is.", debug);
        yield ExitCode.WRONG_USAGE;
      }
      case InterruptedException _ -> {
        print(command, e, Interruption.sentence(Main.of(command).reached()), null, debug);
        yield ExitCode.INTERRUPTED;
      }
      case Exception _ when Main.of(command).cancellation().isCancelled() || isOfShutdown(e) -> {
        // Ranks of others fail in many ways when one of them stops.
        print(command, e, Interruption.sentence(Main.of(command).reached()), null, debug);
        yield ExitCode.INTERRUPTED;
      }
      default -> {
        String remedy = debug ? null : "Run again with --debug for the stack trace.";
        print(command, e, sentence(e), remedy, debug);
        yield ExitCode.FAILED;
      }
    };
  }

  private static void print(
      CommandLine command, Exception e, String problem, @Nullable String remedy, boolean debug) {
    PrintWriter err = command.getErr();
    err.println("rialto: " + CommandName.in(problem));
    if (remedy != null && !remedy.isEmpty()) {
      err.println("  " + CommandName.in(remedy));
    }
    if (debug) {
      e.printStackTrace(err);
    }
    err.flush();
  }

  /**
   * Returns whether the JVM has refused something because it is ending, which a command may notice
   * before the interruption does.
   */
  private static boolean isOfShutdown(Throwable e) {
    for (Throwable at = e; at != null; at = at.getCause()) {
      if (at instanceof IllegalStateException && "Shutdown in progress".equals(at.getMessage())) {
        return true;
      }
    }
    return false;
  }

  /** Reports that what was asked for is too large or nested too deeply. */
  int handleError(VirtualMachineError e, CommandLine command) {
    return handleExecutionException(new ExecutionException(command, "", e), command, null);
  }

  /** Returns a failure that has words for people, where its kind is known in all commands. */
  private static Exception known(Exception e) {
    return switch (e.getCause()) {
      case OutOfMemoryError memory -> CommandFailure.outOfMemory(memory);
      case StackOverflowError _ ->
          CommandFailure.usage("The input is nested too deeply.", "Nest it less deeply.");
      case null, default -> e;
    };
  }

  /** The message of an exception as a sentence; its type where it has no message. */
  private static String sentence(Throwable e) {
    String message = e.getMessage();
    if (message == null || message.isBlank()) {
      return e.getClass().getSimpleName() + ".";
    }
    String text = message.strip();
    boolean ended = text.endsWith(".") || text.endsWith("!") || text.endsWith("?");
    return ended ? text : text + ".";
  }

  /** Picocli speaks of argument indexes; a user typed an option or a command. */
  private static String problem(ParameterException e) {
    if (e instanceof UnmatchedArgumentException unmatched && !unmatched.getUnmatched().isEmpty()) {
      String first = unmatched.getUnmatched().getFirst();
      CommandSpec spec = e.getCommandLine().getCommandSpec();
      if (first.startsWith("-")) {
        return "'" + spec.qualifiedName() + "' does not know the option '" + first + "'.";
      }
      if (!spec.subcommands().isEmpty()) {
        return "There is no command '" + first + "'.";
      }
      return "'" + spec.qualifiedName() + "' does not know what to do with '" + first + "'.";
    }
    return sentence(e);
  }

  private static @Nullable String suggestion(ParameterException e) {
    if (!(e instanceof UnmatchedArgumentException unmatched)) {
      return null;
    }
    List<String> near = unmatched.getSuggestions();
    if (!near.isEmpty()) {
      return "Did you mean " + String.join(" or ", near) + "?";
    }
    CommandSpec spec = e.getCommandLine().getCommandSpec();
    String word = unmatched.getUnmatched().isEmpty() ? "" : unmatched.getUnmatched().getFirst();
    Collection<String> names =
        word.startsWith("-")
            ? spec.options().stream().map(option -> option.longestName()).toList()
            : spec.subcommands().keySet();
    return NearestName.of(word, names, 3).map(n -> "Did you mean " + n + "?").orElse(null);
  }
}
