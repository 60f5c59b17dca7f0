package dev.rialto.text;

import java.io.Serial;

/** Says that a text is not JSON, and where. */
public final class JsonException extends RuntimeException {

  @Serial private static final long serialVersionUID = 1L;

  private final int line;
  private final int column;

  JsonException(String problem, int line, int column) {
    super("line " + line + ", column " + column + ": " + problem);
    this.line = line;
    this.column = column;
  }

  /**
   * The line of the offending character, from 1.
   *
   * @return the line
   */
  public int line() {
    return line;
  }

  /**
   * The column of the offending character, from 1, in characters as Java counts them.
   *
   * @return the column
   */
  public int column() {
    return column;
  }
}
