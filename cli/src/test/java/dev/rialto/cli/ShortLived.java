package dev.rialto.cli;

import dev.rialto.system.JavaCommand;
import java.util.ArrayList;
import java.util.List;

/** Command lines of Rialto in processes that live for seconds, as do the ranks they start. */
final class ShortLived {
  private ShortLived() {}

  /** Returns the command, without the JVM's second compiler, which would take most of its time. */
  static List<String> command(List<String> words) {
    List<String> command = new ArrayList<>(JavaCommand.like(Main.class, words));
    command.add(1, "-XX:TieredStopAtLevel=1");
    return command;
  }
}
