package dev.rialto.sparse.io;

import java.io.IOException;
import java.io.Serial;

/** A file is not what the Matrix Market format says. */
public final class MatrixMarketException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  private final long line;

  MatrixMarketException(String file, long line, String what) {
    super(file + (line > 0 ? ", line " + line : "") + ": " + what);
    this.line = line;
  }

  /** Returns the line, from 1; 0 if it is about the whole file. */
  public long line() {
    return line;
  }
}
