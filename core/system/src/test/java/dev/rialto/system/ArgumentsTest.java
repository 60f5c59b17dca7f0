package dev.rialto.system;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ArgumentsTest {
  @Test
  void wordsComeBeforeOptions() {
    Arguments read = Arguments.of("64", "out.png", "--steps", "3", "--file=a=b", "late", "--quiet");
    assertThat(read.number(0, 1)).isEqualTo(64);
    assertThat(read.word(1, "-")).isEqualTo("out.png");
    assertThat(read.word(2, "-")).isEqualTo("-");
    assertThat(read.number("--steps", 1)).isEqualTo(3);
    assertThat(read.option("--file", "")).isEqualTo("a=b");
    assertThat(read.option("--other", "none")).isEqualTo("none");
    assertThat(read.number(7, -2)).isEqualTo(-2);
  }

  @Test
  void theLastValueCounts() {
    assertThat(Arguments.of("--n", "1", "--n=2").number("--n", 0)).isEqualTo(2);
  }

  @Test
  void wrongValuesAreNamed() {
    Arguments read = Arguments.of("many", "--n", "1.5", "--file", "--quiet");
    assertThatThrownBy(() -> read.number(0, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("argument 1 'many' is not a whole number");
    assertThatThrownBy(() -> read.number("--n", 1)).hasMessage("--n '1.5' is not a whole number");
    assertThatThrownBy(() -> read.option("--file", "")).hasMessage("--file needs a value");
  }
}
