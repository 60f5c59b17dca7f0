package dev.rialto.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ProgressBarTest {

  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private long now = 1_000_000;

  private ProgressBar bar(boolean terminal, boolean quiet, long total) {
    PrintStream out = new PrintStream(written, true, UTF_8);
    return new ProgressBar(out, terminal, Terminal.USUAL, quiet, "tuning", total, () -> now);
  }

  private void pass(long millis) {
    now += TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private String output() {
    return written.toString(UTF_8);
  }

  @Test
  void onATerminalTheLineMovesAndThenGoesAway() {
    try (ProgressBar bar = bar(true, false, 4)) {
      bar.advance("a");
      pass(50);
      bar.advance("too soon to be drawn");
      pass(100);
      bar.advance("c");
    }

    assertThat(output())
        .isEqualTo(
            "\r\u001b[Ktuning [######..................]  25% 1/4 0s  a"
                + "\r\u001b[Ktuning [##################......]  75% 3/4 0s  c"
                + "\r\u001b[K");
  }

  @ParameterizedTest
  @ValueSource(ints = {20, 40, 60, 64, 80, 120})
  void aLineFitsItsTerminalWithoutHalfWords(int columns) {
    PrintStream out = new PrintStream(written, true, UTF_8);
    String detail = "residual 1.2345678e-10 after 1234 iterations";
    try (ProgressBar bar = new ProgressBar(out, true, columns, false, "cg", 4, () -> now)) {
      bar.advance(detail);
    }

    String line = output().replace("\r\u001b[K", "");
    assertThat(line).hasSizeLessThan(columns).startsWith("cg ");
    List<String> words = List.of(("cg 25% 1/4 0s " + detail).split(" ", -1));
    assertThat(line.replaceAll("\\[[#.]+\\]", "").split(" +")).isSubsetOf(words);
    assertThat(line.contains(detail)).isEqualTo(columns >= 64);
  }

  @Test
  void aWordThatIsWiderThanTheTerminalIsLeftOut() {
    try (ProgressBar bar = bar(true, false, 4)) {
      bar.advance("x".repeat(200));
    }

    assertThat(output().replace("\r\u001b[K", "")).isEqualTo("tuning  25% 1/4 0s");
  }

  @Test
  void inALogThereIsALineNowAndThen() {
    try (ProgressBar bar = bar(false, false, 200)) {
      for (int i = 0; i < 150; i++) {
        pass(500);
        bar.advance("");
      }
    }

    assertThat(output().lines())
        .hasSize(7)
        .startsWith("tuning  10% 20/200 10s")
        .endsWith("tuning  70% 140/200 1m10s");
  }

  @Test
  void aShortJobLeavesNothingInALog() {
    try (ProgressBar bar = bar(false, false, 2)) {
      pass(5_000);
      bar.advance("a");
    }

    assertThat(output()).isEmpty();
  }

  @Test
  void quietMeansQuiet() {
    try (ProgressBar bar = bar(true, true, 2)) {
      pass(60_000);
      bar.advance("a");
    }

    assertThat(output()).isEmpty();
  }

  @Test
  void withoutATotalItCounts() {
    try (ProgressBar bar = bar(true, false, 0)) {
      bar.update(12, "");
    }

    assertThat(output()).contains("tuning 12 0s");
  }

  @Test
  void afterClosingNothingIsDrawn() {
    ProgressBar bar = bar(true, false, 2);
    bar.advance("a");
    bar.close();
    String before = output();
    pass(1_000);
    bar.advance("b");
    bar.close();

    assertThat(output()).isEqualTo(before);
  }
}
