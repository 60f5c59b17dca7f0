package dev.rialto.system;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The command line of a JVM like this one, for a launcher of ranks to start. */
public final class JavaCommand {
  private JavaCommand() {}

  /**
   * Returns the command that runs {@code main} with the Java, the JVM options, the modules and the
   * class path of this process. Options that attach a debugger or profiler are left out: only one
   * process could have them.
   */
  public static List<String> like(Class<?> main, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(JavaCommand::isForAll)
        .forEach(command::add);
    String classPath = System.getProperty("java.class.path", "");
    if (!classPath.isEmpty()) {
      command.addAll(List.of("--class-path", classPath));
    }
    Module module = main.getModule();
    if (module.isNamed()) {
      command.addAll(List.of("-m", module.getName() + "/" + main.getName()));
    } else {
      command.add(main.getName());
    }
    command.addAll(arguments);
    return command;
  }

  private static boolean isForAll(String option) {
    return !option.startsWith("-agentlib:")
        && !option.startsWith("-Xrun")
        && !option.startsWith("-Drialto.stderr.filter=");
  }
}
