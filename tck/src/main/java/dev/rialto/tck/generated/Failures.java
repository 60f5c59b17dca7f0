package dev.rialto.tck.generated;

import dev.rialto.spi.error.PeerFailedException;
import org.opentest4j.AssertionFailedError;

/** Failures of a step, told with the step. */
public final class Failures {
  private static final int MOST = 600;

  private Failures() {}

  /** Throws a failure with its step; that a peer failed is passed on as it is. */
  public static RuntimeException in(String where, Throwable e) {
    if (e instanceof PeerFailedException peer) {
      throw peer;
    }
    String step = where.length() > MOST ? where.substring(0, MOST) + " …" : where;
    String what = e instanceof AssertionError ? String.valueOf(e.getMessage()) : e.toString();
    throw new AssertionFailedError(step + ": " + what, e);
  }
}
