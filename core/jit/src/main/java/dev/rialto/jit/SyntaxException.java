package dev.rialto.jit;

import org.jspecify.annotations.Nullable;

/** A line of a program or of a file of schedules that cannot be read, or asks for too much. */
public final class SyntaxException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  private final int line;

  /**
   * Describes the mistake.
   *
   * @param line the line's number, from 1
   * @param message the whole sentence, line included
   * @param cause what found it
   */
  public SyntaxException(int line, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.line = line;
  }

  /** Returns the number of the line, from 1. */
  public int line() {
    return line;
  }
}
