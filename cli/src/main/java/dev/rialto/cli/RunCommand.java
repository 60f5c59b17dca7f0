package dev.rialto.cli;

import static java.util.Objects.requireNonNull;

import dev.rialto.cli.option.CommandFailure;
import dev.rialto.cli.option.DeviceOption;
import dev.rialto.cli.option.ExitCode;
import dev.rialto.cli.output.NearestName;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rialto run}: a program in one source file, compiled in memory. */
@Command(
    name = "run",
    description = {
      "Compile a Java source file in memory and run it with Rialto at hand.",
      "The program gets the arguments after the file. Worlds that it opens take --ranks and --comm"
          + " from here, and a --device that is not the host is passed on once it is known to be"
          + " there."
    })
final class RunCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "FILE.java", description = "The program.")
  private Path file;

  @Parameters(index = "1..*", paramLabel = "ARG", description = "What the program is given.")
  private List<String> arguments = new ArrayList<>();

  @Mixin private RankOptions on;

  @Mixin private DeviceOption device;

  /**
   * Refuses options before the program that are not of this command, and those after it that can
   * only be misspelt: an option of the program's that is one letter off goes after {@code --}.
   */
  private void refuseUnknownOptions() {
    List<String> known =
        spec.options().stream().map(option -> option.longestName()).distinct().toList();
    if (file.toString().startsWith("-")) {
      String name = name(file.toString());
      throw CommandFailure.usage(
          "'rialto run' does not know the option '" + name + "'.",
          NearestName.of(name, known, 3)
              .map(near -> "Did you mean " + near + "?")
              .orElse("Options of the program come after its file."));
    }
    int own = separator();
    for (int i = 0; i < arguments.size() && i < own; i++) {
      String name = name(arguments.get(i));
      Optional<String> near =
          name.startsWith("--") ? NearestName.of(name, known, 1) : Optional.empty();
      if (near.isPresent()) {
        throw CommandFailure.usage(
            "'rialto run' does not know the option '" + name + "'.",
            "Did you mean " + near.get() + "? What is the program's own goes after '--'.");
      }
    }
  }

  private static String name(String argument) {
    int value = argument.indexOf('=');
    return value < 0 ? argument : argument.substring(0, value);
  }

  /** Returns how many of the program's arguments came before {@code --}. */
  private int separator() {
    List<String> words = spec.commandLine().getParseResult().originalArgs();
    int at = words.indexOf("--");
    return at < 0 ? arguments.size() : arguments.size() - (words.size() - at - 1);
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    refuseUnknownOptions();
    int ranks = on.check();
    var _ = device.find();
    boolean isSource = file.toString().endsWith(".java");
    if (!isSource || !Files.isReadable(file) || Files.isDirectory(file)) {
      throw CommandFailure.usage(
          "'" + file + "' is not a " + (isSource ? "file that can be read." : "Java source file."),
          "Name a Java source file, such as examples/Heat.java.");
    }
    SourceProgram program;
    try {
      program = SourceProgram.compile(file);
    } catch (SourceProgram.CompileException e) {
      spec.commandLine().getErr().print(e.getMessage());
      throw CommandFailure.usage(file + " does not compile.", "The compiler's words are above.");
    }
    Optional<Integer> launched = on.relaunch();
    if (launched.isPresent()) {
      return launched.get();
    }
    List<String> given = new ArrayList<>(arguments);
    given.add("--comm=" + on.comm());
    if (ranks > 0) {
      given.add("--ranks=" + ranks);
    }
    if (!device.isHost()) {
      given.add("--device=" + device.name());
    }
    Main.of(spec.commandLine()).reached("while " + file + " ran");
    try {
      program.run(given);
    } catch (InvocationTargetException e) {
      Throwable thrown = requireNonNull(e.getCause());
      thrown.setStackTrace(SourceProgram.framesOf(thrown));
      thrown.printStackTrace(spec.commandLine().getErr());
      return ExitCode.FAILED;
    }
    return ExitCode.DONE;
  }
}
