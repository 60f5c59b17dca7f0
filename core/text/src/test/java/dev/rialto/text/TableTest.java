package dev.rialto.text;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class TableTest {

  @Test
  void columnsAreAsWideAsTheirWidestCell() {
    Table table = Table.of("case", "us").alignRight(1).row("pingpong", 3.1).row("x", 12.25);

    assertThat(table)
        .hasToString(
            """
            case         us
            --------  -----
            pingpong    3.1
            x         12.25
            """);
  }

  @Test
  void noLineEndsInSpaces() {
    Table table = Table.withoutHeader(2).row("backend", "cpu").row("reason", "");

    assertThat(table).hasToString("backend  cpu\nreason\n");
  }

  @Test
  void aSymbolOutsideTheBasicPlaneTakesOnePlace() {
    assertThat(Table.withoutHeader(2).row("😀", "a").row("b", "c")).hasToString("😀  a\nb  c\n");
  }

  @Test
  void lineBreaksInCellsBecomeSpaces() {
    assertThat(Table.withoutHeader(1).row("a\r\nb\nc")).hasToString("a b c\n");
  }

  @Test
  void aRowOfAnotherWidthIsRefused() {
    Table table = Table.of("a", "b");

    assertThatIllegalArgumentException()
        .isThrownBy(() -> table.row("x"))
        .withMessage("the table has 2 columns, the row 1 cells");
    assertThat(table.isEmpty()).isTrue();
  }

  @Test
  void onANarrowTerminalTextIsWrappedInItsColumn() {
    Table table = Table.of("name", "ms", "what it is").alignRight(1);
    table.row("a", "1.5", "an explanation that is too long").row("bb", "12.5", "short");
    assertThat(table.toString(30))
        .isEqualTo(
            """
            name    ms  what it is
            ----  ----  ------------------
            a      1.5  an explanation
                        that is too long
            bb    12.5  short
            """);
    assertThat(table.toString(Terminal.UNLIMITED)).contains("an explanation that is too long\n");
  }

  @Test
  void wordsStayWholeHoweverNarrowTheTerminalIs() {
    Table table = Table.withoutHeader(2).row("key", "/usr/lib/x86_64-linux-gnu/libmpi.so.40 there");
    assertThat(table.toString(20))
        .isEqualTo("key  /usr/lib/x86_64-linux-gnu/libmpi.so.40\n     there\n");
  }
}
