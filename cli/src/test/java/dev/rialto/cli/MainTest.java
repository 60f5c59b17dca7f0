package dev.rialto.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.cli.output.CommandName;
import dev.rialto.text.Json;
import dev.rialto.text.Version;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.regex.Pattern;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MainTest {

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    return Main.run(new PrintWriter(out), new PrintWriter(err), false, args);
  }

  @Test
  void versionIsOneLine() {
    assertThat(run("--version")).isZero();
    assertThat(out).hasToString("rialto " + Version.current() + System.lineSeparator());
    assertThat(err.toString()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"info", "test", "format", "package"})
  void helpListsEveryCommandAndEachHasItsOwn(String command) {
    assertThat(run("--help")).isZero();
    assertThat(out.toString()).containsPattern("(?m)^  " + command + " ").contains("Exit codes:");

    out.getBuffer().setLength(0);
    assertThat(run(command, "--help")).isZero();
    assertThat(out.toString()).startsWith("Usage: rialto " + command);
  }

  @Test
  void withoutACommandTheHelpIsShown() {
    assertThat(run()).isZero();
    assertThat(out.toString()).startsWith("Usage: rialto");
  }

  @Test
  void anUnknownCommandIsWrongUsage() {
    assertThat(run("inof")).isEqualTo(2);
    assertThat(err.toString()).startsWith("rialto: There is no command 'inof'.").contains("info");
    assertThat(out.toString()).isEmpty();
  }

  @Test
  void anUnknownOptionIsWrongUsageWithoutAStackTrace() {
    assertThat(run("info", "--frobnicate")).isEqualTo(2);
    assertThat(err.toString().lines())
        .containsExactly(
            "rialto: 'rialto info' does not know the option '--frobnicate'.",
            "  See 'rialto info --help'.");
  }

  @Test
  void debugShowsTheStackTrace() {
    assertThat(run("info", "--frobnicate", "--debug")).isEqualTo(2);
    assertThat(err.toString()).contains("\tat ");
  }

  @Test
  void aBuildJobWithoutTheScriptSaysWhatToRun() {
    assertThat(run("test")).isEqualTo(2);
    assertThat(err.toString().lines())
        .containsExactly(
            "rialto: 'test' needs the source tree and Maven.",
            "  Run './rialto test' in a checkout of Rialto.");
  }

  @Test
  void infoNamesTheMachine() {
    assertThat(run("info")).isZero();
    assertThat(out.toString())
        .containsPattern("Rialto +" + Pattern.quote(Version.current()))
        .contains(System.getProperty("java.runtime.version"))
        .containsPattern("local +yes");
  }

  @Test
  void infoAsJsonIsOneDocument() {
    assertThat(run("info", "--json")).isZero();
    assertThat(Json.read(out.toString()))
        .asInstanceOf(InstanceOfAssertFactories.MAP)
        .containsEntry("rialto", Version.current())
        .extractingByKey("machine", InstanceOfAssertFactories.MAP)
        .containsKeys("cpu", "cores", "jdk");
  }

  @Test
  void hintsNameTheCommandAsItIsStartedHere() {
    assertThat(CommandName.in("See 'rialto info --help'.", "./rialto"))
        .isEqualTo("See './rialto info --help'.");
    assertThat(CommandName.in("Run './rialto test' in a checkout.", "./rialto"))
        .isEqualTo("Run './rialto test' in a checkout.");
    assertThat(CommandName.here()).isEqualTo("rialto");
  }
}
