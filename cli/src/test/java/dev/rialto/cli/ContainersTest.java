package dev.rialto.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.exec.Cancellation;
import dev.rialto.text.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The syntax of the files for containers and schedulers, and of the commands in them. */
class ContainersTest {
  private static final Path FOLDER = Path.of("../containers");
  private static final Set<String> INSTRUCTIONS =
      Set.of("FROM", "RUN", "COPY", "USER", "WORKDIR", "ENTRYPOINT", "CMD", "ENV", "ARG", "LABEL");
  private static final Set<String> SECTIONS =
      Set.of("%files", "%post", "%environment", "%runscript", "%labels", "%help", "%test");

  /** A command of Rialto up to the end of the line, or to what a remark or the shell adds. */
  private static final Pattern COMMAND =
      Pattern.compile("\\brialto ((?:solve|demo) [^\"#]*?)(?: {2,}|$)");

  @ParameterizedTest
  @CsvSource({
    "slurm.sh, '#SBATCH --(job-name|nodes|ntasks-per-node|cpus-per-task|time)=[\\w:]+'",
    "pbs.sh, '#PBS -(N \\w+|l select=\\d+(:\\w+=\\d+)+|l walltime=\\d\\d:\\d\\d:\\d\\d)'"
  })
  void aBatchScriptIsAShellScriptWhoseOptionsComeFirst(String file, String option)
      throws Exception {
    String script = read(file);
    shellUnderstands(script);
    List<String> lines = script.lines().toList();
    assertThat(lines.getFirst()).isEqualTo("#!/bin/sh");
    String marker = option.substring(0, option.indexOf(' '));
    List<String> head = lines.stream().takeWhile(line -> line.startsWith("#")).skip(1).toList();
    assertThat(head).hasSizeGreaterThan(1).allMatch(line -> line.matches(option));
    // A scheduler reads no options below the first command.
    assertThat(lines.stream().filter(line -> line.startsWith(marker))).hasSameSizeAs(head);
  }

  @Test
  void theDockerfileHasKnownInstructionsWithTheirForms() throws Exception {
    List<String> lines =
        read("Dockerfile")
            .replaceAll("(?m)^#.*\n", "")
            .replace("\\\n", " ")
            .lines()
            .filter(line -> !line.isBlank())
            .toList();
    assertThat(lines.getFirst()).matches("FROM \\S+:\\S+");
    Map<String, String> last = new LinkedHashMap<>();
    for (String line : lines) {
      String[] parts = line.split(" +", 2);
      assertThat(INSTRUCTIONS).contains(parts[0]);
      last.put(parts[0], parts[1]);
      if (parts[0].equals("RUN")) {
        shellUnderstands(parts[1]);
      }
    }
    assertThat(last.get("COPY")).matches("\\S+ \\S+");
    assertThat(last.get("USER")).isNotEqualTo("root");
    List<String> started = new ArrayList<>();
    for (String form : List.of("ENTRYPOINT", "CMD")) {
      ((List<?>) Json.read(last.get(form))).forEach(word -> started.add((String) word));
    }
    assertThat(started).containsExactly("rialto", "--help");
  }

  @Test
  void theRecipeOfApptainerHasAHeaderAndSectionsOfShell() throws Exception {
    Map<String, String> sections = new LinkedHashMap<>();
    String section = "header";
    for (String line : read("rialto.def").lines().toList()) {
      if (line.startsWith("%")) {
        section = line.strip();
        assertThat(SECTIONS).contains(section);
        assertThat(sections).doesNotContainKey(section);
        sections.put(section, "");
      } else {
        sections.merge(section, line + "\n", String::concat);
      }
    }
    assertThat(sections.get("header").lines().filter(line -> !line.isBlank()))
        .allMatch(line -> line.startsWith("#") || line.matches("(Bootstrap|From): \\S+"))
        .startsWith("Bootstrap: docker", "From: debian:trixie-slim");
    for (String shell : List.of("%post", "%environment", "%runscript")) {
      shellUnderstands(sections.get(shell));
    }
    assertThat(sections.get("%files").strip()).matches("\\S+ \\S+");
  }

  @Test
  void theMpiJobIsWholeAndStartsOneRankPerSlot() throws Exception {
    Map<?, ?> job = (Map<?, ?>) SmallYaml.read(read("mpijob.yaml"));
    assertThat(job.get("apiVersion")).isEqualTo("kubeflow.org/v2beta1");
    assertThat(job.get("kind")).isEqualTo("MPIJob");
    assertThat(at(job, "metadata", "name")).isEqualTo("rialto");
    for (String role : List.of("Launcher", "Worker")) {
      Map<?, ?> pod = (Map<?, ?>) at(job, "spec", "mpiReplicaSpecs", role, "template", "spec");
      for (Object each : list(pod, "containers")) {
        Map<?, ?> container = (Map<?, ?>) each;
        assertThat(container.keySet().stream().map(Object::toString))
            .contains("name", "image", "command")
            .isSubsetOf("name", "image", "command", "securityContext", "resources", "volumeMounts");
        assertThat(list(container, "volumeMounts").stream().map(ContainersTest::name))
            .isSubsetOf(list(pod, "volumes").stream().map(ContainersTest::name).toList());
      }
    }
    Map<?, ?> launcher =
        (Map<?, ?>) at(job, "spec", "mpiReplicaSpecs", "Launcher", "template", "spec");
    List<String> words =
        list((Map<?, ?>) list(launcher, "containers").getFirst(), "command").stream()
            .map(Object::toString)
            .toList();
    int slots = Integer.parseInt((String) at(job, "spec", "slotsPerWorker"));
    int workers =
        Integer.parseInt((String) at(job, "spec", "mpiReplicaSpecs", "Worker", "replicas"));
    assertThat(words).startsWith("mpirun", "-n", Integer.toString(slots * workers), "rialto");
    commandIsUnderstood(words.subList(4, words.size()));
  }

  @ParameterizedTest
  @ValueSource(strings = {"bug.yml", "config.yml", "idea.yml"})
  void theFormsForIssuesAreYaml(String file) throws IOException {
    Map<?, ?> form =
        (Map<?, ?>)
            SmallYaml.read(Files.readString(Path.of("../.github/ISSUE_TEMPLATE").resolve(file)));
    if (!file.equals("config.yml")) {
      assertThat(form.keySet().stream().map(Object::toString))
          .containsExactly("name", "description", "labels", "body");
      for (Object part : (List<?>) form.get("body")) {
        assertThat(at((Map<?, ?>) part, "attributes", "label")).isNotNull();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"a: 1\n\tb: 2", "a:\n  b: 1\n c: 2", "a: 1\na: 2", "a: b: c", "a:", "- x\nb: 1"})
  void theReaderRefusesWhatIsNoYaml(String text) {
    assertThatThrownBy(() -> SmallYaml.read(text)).isInstanceOf(IllegalArgumentException.class);
  }

  static List<String> commands() throws IOException {
    List<String> commands = new ArrayList<>();
    try (Stream<Path> files = Files.list(FOLDER)) {
      for (Path file : files.sorted().toList()) {
        for (String line : Files.readAllLines(file)) {
          Matcher command = COMMAND.matcher(line);
          if (command.find()) {
            commands.add(command.group(1).strip());
          }
        }
      }
    }
    return commands;
  }

  @ParameterizedTest
  @MethodSource("commands")
  void aCommandInTheFilesIsUnderstood(String command) {
    commandIsUnderstood(Arrays.asList(command.split(" +")));
  }

  private static void commandIsUnderstood(List<String> words) {
    PrintWriter nowhere = new PrintWriter(new StringWriter());
    Main.commandLine(nowhere, nowhere, false, new Interruption(new Cancellation()))
        .parseArgs(words.toArray(String[]::new));
  }

  private static List<?> list(Map<?, ?> map, String name) {
    return map.get(name) instanceof List<?> list ? list : List.of();
  }

  private static Object name(Object entry) {
    return at((Map<?, ?>) entry, "name");
  }

  private static Object at(Map<?, ?> map, String... path) {
    Object value = map;
    for (String name : path) {
      assertThat(value).as("what holds %s", name).isInstanceOf(Map.class);
      value = ((Map<?, ?>) value).get(name);
      assertThat(value).as(name).isNotNull();
    }
    return value;
  }

  private static String read(String name) throws IOException {
    return Files.readString(FOLDER.resolve(name));
  }

  /** Has the shell read a script without running it. */
  private static void shellUnderstands(String script) throws Exception {
    Process shell = new ProcessBuilder("sh", "-n", "-c", script).redirectErrorStream(true).start();
    String said = new String(shell.getInputStream().readAllBytes(), UTF_8);
    assertThat(shell.waitFor()).as(said).isZero();
  }
}
