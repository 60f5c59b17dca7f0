package dev.rialto.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.cli.option.CommandFailure;
import dev.rialto.spi.exec.Cancellation;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class FailureReportTest {

  private final StringWriter err = new StringWriter();

  private int report(Exception e, boolean debug) {
    CommandLine command =
        Main.commandLine(
            new PrintWriter(err),
            new PrintWriter(err),
            debug,
            new Interruption(new Cancellation()));
    return new FailureReport(debug).handleExecutionException(e, command, null);
  }

  @Test
  void aFailureIsASentenceAndARemedy() {
    assertThat(report(CommandFailure.usage("There is no backend 'gpu'", "Try 'cpu'."), false))
        .isEqualTo(2);
    assertThat(err.toString().lines())
        .containsExactly("rialto: There is no backend 'gpu'.", "  Try 'cpu'.");
  }

  @Test
  void eachKindOfFailureHasItsExitCode() {
    assertThat(report(CommandFailure.failed("No.", ""), false)).isEqualTo(1);
    assertThat(report(CommandFailure.notConverged("No.", ""), false)).isEqualTo(3);
    assertThat(report(new InterruptedException(), false)).isEqualTo(130);
    assertThat(report(new IllegalStateException("broken"), false)).isEqualTo(1);
  }

  @Test
  void whatTheJvmRefusesBecauseItEndsIsAnInterruption() {
    Exception refused = new IllegalStateException("Shutdown in progress");
    assertThat(report(new IllegalArgumentException("no recording", refused), false)).isEqualTo(130);
    assertThat(err.toString().lines()).containsExactly("rialto: Interrupted.");
  }

  @Test
  void anUnexpectedFailureSaysHowToLearnMore() {
    report(new IllegalStateException("broken"), false);

    assertThat(err.toString().lines())
        .containsExactly("rialto: broken.", "  Run again with --debug for the stack trace.");
  }

  @Test
  void debugAddsTheStackTrace() {
    report(new IllegalStateException("broken"), true);

    assertThat(err.toString()).contains("\tat " + getClass().getName());
  }

  @Test
  void aFailureWithoutAMessageIsNamedByItsType() {
    report(new IllegalStateException(), false);

    assertThat(err.toString()).startsWith("rialto: IllegalStateException.");
  }
}
