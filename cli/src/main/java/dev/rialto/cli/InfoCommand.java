package dev.rialto.cli;

import dev.rialto.text.Version;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code rialto info}: what this machine offers to Rialto. */
@Command(name = "info", description = "Show what this machine offers to Rialto.")
final class InfoCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    spec.commandLine().getOut().println("rialto  " + Version.current());
    return ExitCode.DONE;
  }
}
