package dev.rialto.io;

import java.io.IOException;
import java.io.Serial;
import java.nio.file.Path;

/** A file is not what it should be: damaged, of another kind, or of a form that is not read. */
public final class FileFormatException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  private final String remedy;

  FileFormatException(Path file, String what, String remedy) {
    super(file + " " + what);
    this.remedy = remedy;
  }

  /** Returns what to do about it, as a sentence. */
  public String remedy() {
    return remedy;
  }
}
