package dev.rialto.cli;

import dev.rialto.cli.option.CommandFailure;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The commands that the {@code ./rialto} script does itself because they are Maven builds.
 *
 * <p>They are registered so that {@code --help} lists everything in one place. Reaching one of them
 * here means that the JVM was started without the script.
 */
final class MavenJobs {

  private MavenJobs() {}

  static void addTo(CommandLine commandLine) {
    add(
        commandLine,
        "test",
        "Run the whole test suite and every check of the build; --gpu: the GPU's, on one.");
    add(
        commandLine,
        "stress",
        "Have threads meet in the lock-free classes; kills, faults: break jobs, for minutes.");
    add(commandLine, "mutate", "Change a module's code and tell what its tests do not notice.");
    add(commandLine, "format", "Format all Java sources.");
    add(commandLine, "package", "Build artifacts, image and documentation.");
    add(commandLine, "install", "Put all artifacts into the local Maven repository.");
    add(
        commandLine,
        "release",
        "Check and build what a release consists of; --dry-run: and publish nothing.");
  }

  private static void add(CommandLine commandLine, String name, String description) {
    Callable<Integer> refusal =
        () -> {
          throw CommandFailure.usage(
              "'" + name + "' needs the source tree and Maven.",
              "Run './rialto " + name + "' in a checkout of Rialto.");
        };
    CommandSpec spec = CommandSpec.wrapWithoutInspection(refusal).name(name);
    spec.usageMessage().description(description);
    commandLine.addSubcommand(name, spec);
  }
}
