package dev.rialto.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class TerminalTest {
  private static int columns(Map<String, String> environment, Map<String, String> properties) {
    return Terminal.outputColumns(environment::get, properties::get);
  }

  @Test
  void whatIsNotATerminalHasNoWidth() {
    assertThat(columns(Map.of(), Map.of("rialto.columns", "120"))).isEqualTo(Terminal.UNLIMITED);
  }

  @Test
  void aTerminalHasTheWidthThatTheLauncherSaw() {
    Map<String, String> seen = Map.of("rialto.stdout.terminal", "true", "rialto.columns", "120");
    assertThat(columns(Map.of(), seen)).isEqualTo(120);
    assertThat(columns(Map.of(), Map.of("rialto.stdout.terminal", "true"))).isEqualTo(80);
  }

  @Test
  void whoSetsColumnsGetsThem() {
    assertThat(columns(Map.of("COLUMNS", "60"), Map.of())).isEqualTo(60);
    assertThat(columns(Map.of("COLUMNS", "wide"), Map.of())).isEqualTo(Terminal.UNLIMITED);
    assertThat(columns(Map.of("COLUMNS", "0"), Map.of())).isEqualTo(Terminal.UNLIMITED);
  }
}
