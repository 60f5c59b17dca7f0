package dev.rialto.cli;

import static java.util.Objects.requireNonNull;

import dev.rialto.cli.option.CommandFailure;
import dev.rialto.cli.option.ExitCode;
import dev.rialto.cli.option.FileChecks;
import dev.rialto.cli.output.CommandName;
import dev.rialto.cli.output.LauncherFilter;
import dev.rialto.cli.output.RankOutput;
import dev.rialto.cli.output.StandardOutput;
import dev.rialto.cli.output.WholeWords;
import dev.rialto.spi.exec.Cancellation;
import dev.rialto.text.Terminal;
import dev.rialto.text.Version;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExecutionException;
import picocli.CommandLine.Help;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.PicocliException;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/**
 * The {@code rialto} command itself: knows the subcommands and how a failure is reported.
 *
 * <p>A new subcommand is one class in this package, listed in {@link #COMMANDS}.
 */
@Command(
    name = "rialto",
    description = "Runs array programs written in Java on cores, GPUs and clusters.",
    synopsisSubcommandLabel = "COMMAND",
    mixinStandardHelpOptions = true,
    versionProvider = Main.VersionLine.class,
    scope = ScopeType.INHERIT,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:done",
      "1:failed",
      "2:wrong usage or input",
      "3:did not converge",
      "130:interrupted"
    })
final class Main implements Runnable {
  /** The subcommands by name, in the order in which they are shown. */
  private static final Map<String, Class<?>> COMMANDS = commands();

  /** Options that show all commands, or none, and run none. */
  private static final Set<String> OVERVIEWS = Set.of("-h", "--help", "--version");

  @Option(
      names = "--debug",
      scope = ScopeType.INHERIT,
      description = "Show stack traces of failures (also: RIALTO_DEBUG=1).")
  private boolean debug;

  @Option(
      names = {"-q", "--quiet"},
      scope = ScopeType.INHERIT,
      description = "Print results only, no progress.")
  private boolean quiet;

  @Option(
      names = "--trace",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description = "Write what ranks and devices did to a trace that Perfetto opens.")
  private @Nullable Path trace;

  @Option(
      names = "--report",
      paramLabel = "FILE",
      scope = ScopeType.INHERIT,
      description = "Write a page about the run (HTML).")
  private @Nullable Path report;

  private @Nullable TracedRun traced;

  @Spec private CommandSpec spec;

  private final Interruption interruption;
  private volatile String reached = "";

  private static final int LEAST_HELP_COLUMNS = 55;

  private Main(Interruption interruption) {
    this.interruption = interruption;
    interruption.reached(() -> reached);
  }

  private static Map<String, Class<?>> commands() {
    Map<String, Class<?>> commands = new LinkedHashMap<>();
    commands.put("info", InfoCommand.class);
    commands.put("doctor", DoctorCommand.class);
    commands.put("demo", DemoCommand.class);
    commands.put("fft", FftCommand.class);
    commands.put("conform", ConformCommand.class);
    commands.put("tune", TuneCommand.class);
    commands.put("solve", SolveCommand.class);
    commands.put("kernel", KernelCommand.class);
    commands.put("run", RunCommand.class);
    commands.put("new", NewCommand.class);
    commands.put("bench", BenchCommand.class);
    commands.put("report", ReportCommand.class);
    commands.put("completion", CompletionCommand.class);
    return Collections.unmodifiableMap(commands);
  }

  /** Starts the command line; the exit code is that of {@link #run}. */
  public static void main(String[] args) {
    int rank = RankOptions.launchedRank().orElse(0);
    if (rank > 0) {
      RankOutput.mark(rank);
    }
    StandardOutput standard = new StandardOutput(System.out, rank == 0);
    PrintWriter out = writerTo(standard, System.out);
    PrintWriter err = writerTo(System.err, System.err);
    Interruption interruption = Interruption.listen();
    boolean debug = flag(System.getenv("RIALTO_DEBUG"));
    int code = run(out, err, debug, interruption, args);
    if (standard.failure().isPresent()) {
      err.println("rialto: Standard output cannot be written: " + standard.failure().get() + ".");
      code = code == ExitCode.DONE ? ExitCode.FAILED : code;
    }
    LauncherFilter.finish();
    interruption.finished();
    System.exit(code);
  }

  /** Runs one command line and returns its exit code, without ending the JVM. */
  static int run(PrintWriter out, PrintWriter err, boolean debugByEnvironment, String... args) {
    return run(out, err, debugByEnvironment, new Interruption(new Cancellation()), args);
  }

  /** Runs one command line that can be asked to stop. */
  static int run(
      PrintWriter out,
      PrintWriter err,
      boolean debugByEnvironment,
      Interruption interruption,
      String... args) {
    CommandLine line = commandLine(out, err, debugByEnvironment, interruption, wanted(args));
    int code;
    try {
      code = line.execute(args);
    } catch (OutOfMemoryError | StackOverflowError e) {
      code = new FailureReport(debugByEnvironment).handleError(e, line);
    }
    out.flush();
    err.flush();
    return code;
  }

  /**
   * Returns the subcommands that a command line needs. Reading the options of all of them takes
   * longer than the rest of the start: one that is named first is read alone, and the overview
   * needs none. Completion and typing errors need all.
   */
  static Set<String> wanted(String... args) {
    String first = args.length == 0 ? "--help" : args[0];
    if (args.length <= 1 && OVERVIEWS.contains(first)) {
      return Set.of();
    }
    return COMMANDS.containsKey(first) && !first.equals("completion")
        ? Set.of(first)
        : COMMANDS.keySet();
  }

  /** The parser of the whole command line, with every subcommand. */
  static CommandLine commandLine(
      PrintWriter out, PrintWriter err, boolean debugByEnvironment, Interruption interruption) {
    return commandLine(out, err, debugByEnvironment, interruption, COMMANDS.keySet());
  }

  private static CommandLine commandLine(
      PrintWriter out,
      PrintWriter err,
      boolean debugByEnvironment,
      Interruption interruption,
      Set<String> wanted) {
    FailureReport failures = new FailureReport(debugByEnvironment);
    CommandLine commandLine = new CommandLine(new Main(interruption));
    COMMANDS.forEach(
        (name, command) -> {
          if (wanted.contains(name)) {
            commandLine.addSubcommand(name, command);
          } else if (wanted.isEmpty()) {
            commandLine.addSubcommand(name, outline(name, command));
          }
        });
    MavenJobs.addTo(commandLine);
    if (wanted.contains("run")) {
      // Options that 'run' does not know are the program's.
      requireNonNull(commandLine.getSubcommands().get("run"))
          .setUnmatchedOptionsArePositionalParams(true);
    }
    return commandLine
        .setOut(out)
        .setErr(err)
        .setParameterExceptionHandler(failures)
        .setExecutionExceptionHandler(failures)
        .setExecutionStrategy(Main::execute)
        .setCommandName(CommandName.here())
        .setUsageHelpWidth(Math.clamp(Terminal.outputColumns(), LEAST_HELP_COLUMNS, Terminal.USUAL))
        .setColorScheme(Help.defaultColorScheme(Help.Ansi.OFF))
        .setHelpFactory(WholeWords::new)
        .setCaseInsensitiveEnumValuesAllowed(true);
  }

  /** Returns a command as the overview shows it: without its options. */
  private static CommandSpec outline(String name, Class<?> command) {
    CommandSpec spec = CommandSpec.create().name(name);
    spec.usageMessage()
        .description(requireNonNull(command.getAnnotation(Command.class)).description());
    return spec;
  }

  private static int execute(ParseResult parsed) {
    CommandLine command = parsed.commandSpec().commandLine();
    try {
      return execute(parsed, command);
    } catch (PicocliException e) {
      throw e;
    } catch (RuntimeException e) {
      // What goes wrong around a command is reported as what goes wrong in it.
      throw new ExecutionException(command, "", e);
    }
  }

  private static int execute(ParseResult parsed, CommandLine command) {
    Main top = of(command);
    ParseResult last = parsed;
    while (last.hasSubcommand()) {
      last = last.subcommand();
    }
    if (last.isUsageHelpRequested() || last.isVersionHelpRequested()) {
      return new RunLast().execute(parsed); // nothing runs that could be recorded
    }
    if (last.commandSpec().userObject() instanceof AlwaysRecorded recorded) {
      top.record(recorded, command);
    }
    Path page = last.commandSpec().userObject() instanceof OwnPage ? null : top.report;
    int code;
    if (top.trace == null && page == null) {
      code = new RunLast().execute(parsed);
    } else {
      top.checkRecords(last);
      top.traced = TracedRun.start(command, parsed.originalArgs(), top.trace, page);
      code = top.traced.run(() -> new RunLast().execute(parsed));
    }
    if (code == ExitCode.INTERRUPTED && top.cancellation().isCancelled()) {
      // An answer was given, but not the one that was asked for.
      command.getErr().println("rialto: " + Interruption.sentence(top.reached));
    }
    return code;
  }

  /** Refuses to write trace or report over a file that the command reads or writes. */
  private void checkRecords(ParseResult last) {
    try {
      FileChecks.apart("--trace", trace, "--report", report);
      for (ArgSpec argument : last.commandSpec().args()) {
        String name = FileChecks.name(argument);
        if (!name.equals("--trace") && !name.equals("--report")) {
          for (Path file : FileChecks.files(argument)) {
            FileChecks.apart("--trace", trace, name, file);
            FileChecks.apart("--report", report, name, file);
          }
        }
      }
    } catch (CommandFailure e) {
      throw new ExecutionException(last.commandSpec().commandLine(), "", e);
    }
  }

  /** Chooses files for what they were not named for; ranks get theirs from who started them. */
  private void record(AlwaysRecorded command, CommandLine line) {
    try {
      command.check();
    } catch (CommandFailure e) {
      throw new ExecutionException(line, "", e);
    }
    if (RankOptions.launchedRank().isEmpty()) {
      trace = trace == null ? command.defaultTrace() : trace;
      report = report == null ? command.defaultReport() : report;
    }
  }

  /** The top of the command that {@code command} belongs to, where the shared options are. */
  static Main of(CommandLine command) {
    return command.getCommandSpec().root().commandLine().getCommand();
  }

  boolean debug() {
    return debug;
  }

  boolean quiet() {
    return quiet;
  }

  /** Returns the switch that an interrupt turns. */
  Cancellation cancellation() {
    return interruption.cancellation();
  }

  /** Notes that this process waits for ranks that are processes. */
  void waitsForRanks() {
    interruption.ranksAreProcesses();
  }

  /** Returns the file of the trace, if one is wanted. */
  @Nullable Path trace() {
    return trace;
  }

  /** Returns the file of the page about the run, if one is wanted. */
  @Nullable Path report() {
    return report;
  }

  /** The arguments with which ranks that are processes run the same command. */
  List<String> argumentsForRanks() {
    List<String> arguments = spec.commandLine().getParseResult().originalArgs();
    return traced == null ? arguments : traced.handOver(arguments);
  }

  /** Notes how far the command is, as a clause such as "after 3 of 8 iterations". */
  void reached(String what) {
    reached = what;
  }

  String reached() {
    return reached;
  }

  /** With no subcommand there is nothing to do but to say what there is. */
  @Override
  public void run() {
    spec.commandLine().usage(spec.commandLine().getOut());
  }

  /** A writer in the encoding that the terminal or the pipe expects. */
  private static PrintWriter writerTo(OutputStream to, PrintStream like) {
    return new PrintWriter(new OutputStreamWriter(to, like.charset()), true);
  }

  private static boolean flag(@Nullable String value) {
    return value != null && !value.isEmpty() && !value.equals("0") && !value.equals("false");
  }

  /** A command that makes the page of {@code --report} itself, about more than its run. */
  interface OwnPage {}

  /** The line that {@code --version} prints. */
  static final class VersionLine implements IVersionProvider {
    @Override
    public String[] getVersion() {
      return new String[] {"rialto " + Version.current()};
    }
  }
}
