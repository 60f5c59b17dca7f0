package dev.rialto.cli;

import dev.rialto.cli.option.ExitCode;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code rialto completion}: a script with which a shell completes commands and options. */
@Command(
    name = "completion",
    description = {
      "Print a script that completes commands and options.",
      "In bash and zsh: source <(rialto completion bash).",
      "In fish: rialto completion fish | source."
    })
final class CompletionCommand implements Callable<Integer> {
  private enum Shell {
    BASH,
    ZSH,
    FISH
  }

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "SHELL", description = "bash, zsh or fish.")
  private Shell shell;

  @Override
  public Integer call() {
    CompletionScript script = new CompletionScript(spec.root().commandLine());
    spec.commandLine()
        .getOut()
        .print(
            switch (shell) {
              case BASH, ZSH -> script.bash();
              case FISH -> script.fish();
            });
    return ExitCode.DONE;
  }
}
