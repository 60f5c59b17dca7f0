package dev.rialto.tck.run;

/** Thrown by a rank that a requirement lets crash. */
final class Killed extends Error {
  private static final long serialVersionUID = 1L;

  Killed(int rank) {
    super("rank " + rank + " was killed by the requirement");
  }
}
