package dev.rialto.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.system.JavaCommand;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs what "From laptop to cluster" tells people to run. */
@TestInstance(Lifecycle.PER_CLASS)
class ClusterGuideTest {
  private static final Path GUIDE = Path.of("../docs/from-laptop-to-cluster.md");

  /** A command, and the output that the guide shows for it. */
  record Step(String command, String output) {
    @Override
    public String toString() {
      return command;
    }
  }

  @TempDir private static Path folder;

  static List<Step> steps() throws IOException {
    List<Step> steps = new ArrayList<>();
    for (List<String> lines : blocks("")) {
      for (int i = 0; i < lines.size(); i++) {
        if (lines.get(i).startsWith("$ ")) {
          String output =
              lines.stream()
                  .skip(i + 1L)
                  .takeWhile(line -> !line.startsWith("$ ") && !line.isEmpty())
                  .collect(Collectors.joining("\n"));
          steps.add(new Step(lines.get(i).substring(2), output));
        }
      }
    }
    return steps;
  }

  /** Returns the guide's blocks in a language. */
  private static List<List<String>> blocks(String language) throws IOException {
    List<List<String>> blocks = new ArrayList<>();
    String current = null;
    for (String line : Files.readAllLines(GUIDE, UTF_8)) {
      if (!line.startsWith("```")) {
        if (language.equals(current)) {
          blocks.getLast().add(line);
        }
      } else if (current == null) {
        current = line.substring(3);
        if (language.equals(current)) {
          blocks.add(new ArrayList<>());
        }
      } else {
        current = null;
      }
    }
    return blocks;
  }

  @BeforeAll
  static void makeFolder() throws IOException {
    Files.write(folder.resolve("Pi.java"), blocks("java").getFirst());
    Path command = folder.resolve("rialto");
    String line =
        JavaCommand.like(Main.class, List.of()).stream()
            .map(word -> "'" + word + "'")
            .collect(Collectors.joining(" "));
    Files.writeString(command, "#!/bin/sh\nexec " + line + " \"$@\"\n");
    assertThat(command.toFile().setExecutable(true)).isTrue();
  }

  @ParameterizedTest
  @MethodSource("steps")
  void theCommandDoesWhatTheGuideSays(Step step) throws Exception {
    assumeLaunchers(step.command());
    ProcessBuilder builder = new ProcessBuilder("sh", "-c", step.command());
    builder.directory(folder.toFile());
    builder
        .environment()
        .putAll(
            Map.of(
                "RIALTO_JARS", System.getProperty("java.class.path"),
                "JAVA_TOOL_OPTIONS",
                    "-XX:TieredStopAtLevel=1 --add-modules=jdk.incubator.vector"
                        + " --enable-native-access=ALL-UNNAMED",
                // What a test machine is: few cores, and often only root.
                "OMPI_ALLOW_RUN_AS_ROOT", "1",
                "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1",
                "OMPI_MCA_rmaps_base_oversubscribe", "1",
                "OMPI_MCA_mpi_yield_when_idle", "1"));
    String java = Path.of(System.getProperty("java.home"), "bin").toString();
    builder.environment().merge("PATH", java, (path, own) -> own + File.pathSeparator + path);
    Path output = folder.resolve("output");
    Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
    try {
      boolean ended = process.waitFor(3, TimeUnit.MINUTES);
      String said = Files.readString(output, UTF_8);
      assertThat(ended).as("it hangs, having said: %s", said).isTrue();
      assertThat(process.exitValue()).as(said).isZero();
      assertThat(said).contains(step.output());
    } finally {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
  }

  private static void assumeLaunchers(String command) {
    boolean mpich = command.contains("mpich") || command.contains("hydra");
    boolean openMpi =
        command.contains("mpirun.openmpi")
            || (command.contains("--comm mpi") && !command.contains("--mpi mpich"));
    assumeTrue(!mpich || onPath("mpiexec.hydra"), "MPICH is not installed");
    assumeTrue(!openMpi || onPath("mpirun.openmpi"), "Open MPI is not installed");
  }

  private static boolean onPath(String program) {
    return Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
        .anyMatch(path -> Files.isExecutable(Path.of(path, program)));
  }
}
