package dev.rialto.cli;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Commands that react to Ctrl-C even if their parent process ignores it. */
final class Interruptible {
  private static final List<String> HEARING = List.of("env", "--default-signal=INT");

  private Interruptible() {}

  /**
   * Returns the command, started so that it is interrupted like one of a terminal: tests in the
   * background ignore interrupts, and so does all that they start.
   */
  static List<String> command(List<String> command) throws IOException, InterruptedException {
    List<String> trial = new ArrayList<>(HEARING);
    trial.add("true");
    if (new ProcessBuilder(trial).start().waitFor() != 0) {
      return command; // An older env, or another system's.
    }
    List<String> hearing = new ArrayList<>(HEARING);
    hearing.addAll(command);
    return hearing;
  }
}
