package dev.rialto.cli.report;

import java.io.Serial;

/** Says in a sentence why a file cannot be reported on. */
public final class TraceException extends Exception {
  @Serial private static final long serialVersionUID = 1L;

  TraceException(String problem) {
    super(problem);
  }
}
