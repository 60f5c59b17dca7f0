package dev.rialto.tck.fault;

/** The failure of a rank, which has to come out as it is. */
final class Injected extends RuntimeException {
  private static final long serialVersionUID = 1L;

  Injected(int rank, Phase phase) {
    super("rank " + rank + " fails on purpose at " + phase);
  }
}
