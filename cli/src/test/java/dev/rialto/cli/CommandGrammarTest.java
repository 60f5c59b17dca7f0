package dev.rialto.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.cli.option.ExitCode;
import dev.rialto.spi.exec.Cancellation;
import dev.rialto.text.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/**
 * One grammar for all commands: what holds for one of them is tried on each. In the lines below,
 * {@code DIR} stands for a folder of the test's own.
 */
class CommandGrammarTest {
  /** Commands that the script runs itself; called here, they only say so. */
  private static final Set<String> OF_THE_SCRIPT =
      Set.of("test", "stress", "mutate", "format", "package", "install", "release");

  /** Options that every command has. */
  private static final List<String> EVERYWHERE =
      List.of("--help", "--version", "--quiet", "--debug", "--trace");

  /** A word such as {@code cpu:0}. */
  private static final Pattern INNER_COLON = Pattern.compile("\\w+:\\w+");

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  @TempDir private Path folder;

  private static Map<String, CommandLine> commands() {
    StringWriter ignored = new StringWriter();
    PrintWriter writer = new PrintWriter(ignored);
    return new TreeMap<>(
        Main.commandLine(writer, writer, false, new Interruption(new Cancellation()))
            .getSubcommands());
  }

  static Set<String> names() {
    return commands().keySet();
  }

  @ParameterizedTest
  @MethodSource("names")
  void aCommandIsListedByItsOwnName(String name) {
    assertThat(commands().get(name).getCommandSpec().name()).isEqualTo(name);
  }

  /** The start is as long as what is read: one command, if it is clear which. */
  @Test
  void onlyTheCommandThatIsNamedIsRead() {
    assertThat(Main.wanted("solve", "poisson3d:4")).containsExactly("solve");
    assertThat(Main.wanted()).isEmpty();
    assertThat(Main.wanted("--version")).isEmpty();
    assertThat(Main.wanted("--help")).isEmpty();
    for (String first : List.of("", "--quiet", "sovle", "completion")) {
      assertThat(Main.wanted(first)).contains("info", "solve", "completion");
    }
  }

  /** The overview reads no options, and shows what it would show if it had. */
  @Test
  void theOverviewIsThatOfTheWholeCommandLine() {
    StringWriter all = new StringWriter();
    Main.commandLine(
            new PrintWriter(all, true),
            new PrintWriter(all, true),
            false,
            new Interruption(new Cancellation()))
        .execute("--help");
    StringWriter overview = new StringWriter();
    PrintWriter out = new PrintWriter(overview, true);
    assertThat(Main.run(out, out, false, "--help")).isZero();
    assertThat(overview.toString()).isEqualTo(all.toString());
  }

  @BeforeEach
  void makeInput() throws IOException {
    Files.writeString(folder.resolve("twice.rialto"), "input x f32[4]\ny[i] = 2 * x[i]\n");
    Files.writeString(
        folder.resolve("a.mtx"),
        "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 4\n");
    Files.writeString(
        folder.resolve("deep.rialto"),
        "input x f32[4]\ny[i] = " + "(".repeat(20_000) + "x[i]" + ")".repeat(20_000) + "\n");
    Files.writeString(folder.resolve("Any.java"), "void main() {}\n");
    try (var real = CommandGrammarTest.class.getResourceAsStream("real.npy")) {
      Files.copy(real, folder.resolve("a.npy"));
    }
  }

  private int run(String line) {
    return run(new Cancellation(), line);
  }

  private int run(Cancellation cancellation, String line) {
    out.getBuffer().setLength(0);
    err.getBuffer().setLength(0);
    String[] words =
        Arrays.stream(line.split(" "))
            .map(w -> w.replace("DIR", folder.toString()))
            .toArray(String[]::new);
    return Main.run(
        new PrintWriter(out), new PrintWriter(err), false, new Interruption(cancellation), words);
  }

  private void assertOneSentenceAndARemedy() {
    assertThat(out.toString()).isEmpty();
    assertThat(err.toString().lines().toList())
        .hasSizeBetween(1, 2)
        .noneMatch(text -> text.contains("Exception") || text.startsWith("\tat "))
        .first(InstanceOfAssertFactories.STRING)
        .startsWith("rialto: ")
        .matches(".*[.?!]");
  }

  @ParameterizedTest
  @MethodSource("names")
  void everyCommandHasHelpAndTheOptionsOfAll(String command) {
    assertThat(run(command + " --help")).isZero();
    assertThat(out.toString()).startsWith("Usage: rialto " + command).contains("Exit codes:");
    if (!OF_THE_SCRIPT.contains(command)) {
      assertThat(out.toString()).contains(EVERYWHERE);
    }
    assertThat(err.toString()).isEmpty();
  }

  /** Help is wrapped to the terminal, and lists show the first: each is whole by itself. */
  @ParameterizedTest
  @MethodSource("names")
  void everyPartOfADescriptionEndsASentence(String command) {
    CommandSpec spec = commands().get(command).getCommandSpec();
    assertThat(spec.usageMessage().description()).allMatch(part -> part.endsWith("."));
    assertThat(spec.args())
        .allSatisfy(each -> assertThat(each.description()).allMatch(part -> part.endsWith(".")));
  }

  /** Lines break between words only, however wide the terminal is. */
  @ParameterizedTest
  @MethodSource("names")
  void wordsOfHelpStayWhole(String command) {
    CommandLine line = commands().get(command);
    Set<String> words =
        Stream.concat(
                Arrays.stream(line.getCommandSpec().usageMessage().description()),
                line.getCommandSpec().args().stream().flatMap(arg -> Stream.of(arg.description())))
            .flatMap(text -> INNER_COLON.matcher(text).results().map(MatchResult::group))
            .collect(Collectors.toSet());
    for (int columns = 55; columns <= 80; columns++) {
      String help = line.setUsageHelpWidth(columns).getUsageMessage();
      assertThat(words).allSatisfy(word -> assertThat(help).contains(word));
    }
  }

  @Test
  void helpHasNoColours() {
    assertThat(commands().values())
        .allSatisfy(line -> assertThat(line.getColorScheme().ansi()).isEqualTo(Help.Ansi.OFF));
  }

  @ParameterizedTest
  @MethodSource("names")
  void everyCommandRefusesAnOptionThatItDoesNotKnow(String command) {
    StringBuilder line = new StringBuilder(command + " --frobnicate");
    for (PositionalParamSpec each :
        commands().get(command).getCommandSpec().positionalParameters()) {
      Object[] values = each.type().getEnumConstants();
      line.append(' ').append(values == null ? "x" : values[0]);
    }
    assertThat(run(line.toString())).isEqualTo(ExitCode.WRONG_USAGE);
    assertOneSentenceAndARemedy();
    assertThat(err.toString()).contains("--frobnicate");
  }

  /** An option takes the same kind of value wherever it is; lists of numbers are numbers. */
  @Test
  void anOptionMeansTheSameEverywhere() {
    Map<String, Set<String>> forms = new TreeMap<>();
    commands()
        .forEach(
            (command, line) -> {
              for (OptionSpec option : line.getCommandSpec().options()) {
                for (String name : option.names()) {
                  forms.computeIfAbsent(name, _ -> new TreeSet<>()).add(form(option));
                }
              }
            });
    // As the contract has it: bench writes JSON to a file, beside its table.
    assertThat(forms.remove("--json")).containsExactlyInAnyOrder("boolean", "Path");
    // The demo writes several files.
    assertThat(forms.remove("--out")).contains("Path");
    forms.forEach((name, found) -> assertThat(found).as(name).hasSize(1));
  }

  private static String form(OptionSpec option) {
    Class<?> type = option.auxiliaryTypes().length > 0 ? option.auxiliaryTypes()[0] : option.type();
    return type.getSimpleName().replace("Integer", "int").replace("Long", "long");
  }

  @Test
  void optionsAreWrittenInOneStyle() {
    commands()
        .values()
        .forEach(
            line ->
                assertThat(line.getCommandSpec().options())
                    .allSatisfy(
                        option -> {
                          assertThat(option.longestName()).matches("--[a-z][a-z-]*");
                          assertThat(option.description()).isNotEmpty();
                          assertThat(String.join(" ", option.description())).endsWith(".");
                        }));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "solve DIR/nowhere.mtx",
        "solve poisson3d:4 --rhs DIR/nowhere.mtx",
        "fft DIR/nowhere.npy DIR/out.npy",
        "fft DIR/a.npy DIR/out.npy --settings DIR/nowhere",
        "kernel run DIR/nowhere.rialto",
        "kernel explain DIR/nowhere.rialto",
        "kernel bench DIR/nowhere.rialto",
        "report DIR/nowhere.json",
        "run DIR/nowhere.java",
      })
  void aMissingFileIsNamed(String line) {
    assertThat(run(line)).isEqualTo(ExitCode.WRONG_USAGE);
    assertOneSentenceAndARemedy();
    assertThat(err.toString()).contains(folder.resolve("nowhere").toString());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "solve poisson3d:4 --out DIR/none/x.mtx",
        "solve poisson3d:4 --plot DIR/none/x.png",
        "solve poisson3d:4 --out DIR",
        "fft DIR/a.npy DIR/none/out.npy",
        "tune fft --settings DIR/none/x",
        "conform cpu --only MEM-001 --report DIR/none/x.html",
        "bench comm --json DIR/none/x.json",
        "demo --out DIR/none/x.png",
        "info --trace DIR/none/x.json",
        "info --report DIR/none/x.html",
        "report DIR/a.json --out DIR/none/x.html",
        "kernel run DIR/twice.rialto --trace DIR/none/x.json",
      })
  void anOutputThatCannotBeWrittenIsRefusedBeforeAnythingIsComputed(String line) {
    assertThat(run(line)).isEqualTo(ExitCode.WRONG_USAGE);
    assertOneSentenceAndARemedy();
    assertThat(err.toString()).contains(folder.toString());
    assertThat(folder.resolve("none")).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "solve poisson3d:4 --scheme teleport",
        "solve poisson3d:4 --rank 2",
        "solve poisson3d:4 --out DIR/x.dat",
        "solve poisson3d:100000",
        "solve random:2000000000",
        "run --rank 2 DIR/Any.java",
        "run DIR/Any.java --rnaks 2",
        "tune halo --shape 100000x100000x100000",
        "tune fft --shape 9000000000x9000000000",
        "tune transpose --shape 0x0x0 --ranks 0",
        "solve poisson3d:4 --effort herculean",
        "solve poisson3d:4 --comm telegraph",
        "solve poisson3d:4 --ranks none",
        "fft DIR/a.npy DIR/out.npy --scheme teleport",
        "fft DIR/a.npy DIR/out.npy --engine abacus",
        "fft DIR/a.npy DIR/out.npy --ranks 0",
        "fft DIR/twice.rialto DIR/out.npy",
        "tune halo --effort herculean",
        "tune halo --shape 4xx4",
        "tune halo --codec shred",
        "kernel run DIR/a.mtx",
        "kernel run DIR/twice.rialto --backend abacus",
        "completion cmd",
      })
  void aWrongValueIsOneSentenceAndARemedy(String line) {
    assertThat(run(line)).as(err.toString()).isEqualTo(ExitCode.WRONG_USAGE);
    assertOneSentenceAndARemedy();
  }

  @Test
  void expressionsMayBeOfAnyDepth() {
    assertThat(run("kernel run DIR/deep.rialto")).as(err.toString()).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " --scheme all-to-all", " --scheme tuned --effort estimate"})
  void aTransformTakesAScheme(String options) {
    assertThat(run("fft DIR/a.npy DIR/out.npy" + options)).as(err.toString()).isZero();
    assertThat(folder.resolve("out.npy")).isNotEmptyFile();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "info --json",
        "solve DIR/a.mtx --json --format csr",
        "fft DIR/a.npy DIR/out.npy --json",
        "kernel run DIR/twice.rialto --json",
        "kernel explain DIR/twice.rialto --json",
        "tune transpose --shape 4x4x4 --effort estimate --fresh --json",
        "tune halo --shape 4x4x4 --effort estimate --fresh --json",
        "tune fft --shape 4x4x4 --effort estimate --json",
        "conform cpu --only MEM-001 --json",
      })
  void jsonIsOneDocumentAndNothingElse(String line) {
    assertThat(run(line)).as(err.toString()).isZero();
    assertThat(Json.read(out.toString())).isInstanceOf(Map.class);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "solve poisson3d:20 --tol 1e-300 --max-iterations 100000000 --format csr",
        "solve poisson3d:20 --tol 1e-300 --max-iterations 100000000 --format csr --json",
        "demo --grid 8 --out DIR",
        "fft DIR/a.npy DIR/out.npy",
        "kernel bench DIR/twice.rialto --backend sync_jvm",
        "tune transpose --shape 8x8x8 --fresh",
        "tune halo --shape 8x8x8 --fresh",
        "conform local",
        "bench runtime --quick",
      })
  void anInterruptedCommandStopsAndSaysHowFarItGot(String line) {
    Cancellation cancellation = new Cancellation();
    cancellation.cancel();
    assertThat(run(cancellation, line)).as(out + "" + err).isEqualTo(ExitCode.INTERRUPTED);
    if (line.startsWith("solve") || line.startsWith("demo")) {
      // They have an answer, if a poor one, and give it.
      assertThat(out.toString()).containsPattern("(?i)cancelled|interrupted");
    } else {
      assertThat(err.toString()).containsPattern("rialto: Interrupted (after \\d+|while)");
    }
    assertThat(folder.resolve("out.npy")).doesNotExist();
    if (line.endsWith("--json")) {
      assertThat(Json.read(out.toString())).isInstanceOf(Map.class);
    }
  }

  @Test
  void thePageOnTheCommandLineNamesEveryCommandAndEverySharedOption() throws IOException {
    String page = Files.readString(Path.of("../docs/command-line.md"));
    Map<String, Integer> uses = new TreeMap<>();
    commands()
        .forEach(
            (command, line) -> {
              assertThat(page).contains("`" + command);
              line.getCommandSpec()
                  .options()
                  .forEach(o -> uses.merge(o.longestName(), 1, Integer::sum));
            });
    uses.forEach(
        (option, count) -> {
          if (count > 2) {
            assertThat(page).contains("`" + option);
          }
        });
  }

  static Stream<String> shells() {
    return Stream.of("bash", "zsh", "fish");
  }

  @ParameterizedTest
  @MethodSource("shells")
  void completionKnowsEveryCommand(String shell) {
    assertThat(run("completion " + shell)).isZero();
    assertThat(out.toString()).contains(names()).contains("max-iterations");
  }

  @ParameterizedTest
  @ValueSource(strings = {"tune halo --shape 8x8 --fresh --json", "tune fft --shape 8x8 --json"})
  void whatTuningHadWhenItWasInterruptedIsPrintedAndMarked(String line) {
    Cancellation cancellation = new Cancellation();
    cancellation.cancel();
    assertThat(run(cancellation, line)).isEqualTo(ExitCode.INTERRUPTED);
    assertThat(out.toString()).contains("\"winner\"").contains("\"interrupted\": true");
  }

  @Test
  void whatABenchMeasuredUntilItWasInterruptedIsWrittenAndMarked() throws IOException {
    Cancellation cancellation = new Cancellation();
    cancellation.cancel();
    assertThat(run(cancellation, "bench runtime --quick --json DIR/bench.json"))
        .isEqualTo(ExitCode.INTERRUPTED);
    assertThat(err.toString()).contains("rialto: Interrupted after 0 steps");
    assertThat(out.toString()).contains("Interrupted: this is what was measured.");
    assertThat(Json.read(Files.readString(folder.resolve("bench.json"))))
        .asInstanceOf(InstanceOfAssertFactories.MAP)
        .containsEntry("interrupted", true)
        .containsEntry("rows", List.of());
  }
}
