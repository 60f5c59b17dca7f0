package dev.rialto.mpi.watch;

/**
 * The description of an operation, in case it fails.
 *
 * @param name such as {@code send}
 * @param peer the other rank, or the root; negative for all or any
 * @param tag the tag; negative for none or any
 * @param bytes the length of this rank's buffer
 */
public record MpiCall(String name, int peer, int tag, long bytes) {
  /** An operation of all ranks alike. */
  public MpiCall(String name, long bytes) {
    this(name, -1, -1, bytes);
  }

  @Override
  public String toString() {
    return name
        + (bytes == 0 ? "" : " of " + bytes + " bytes")
        + (peer < 0 ? "" : " with rank " + peer)
        + (tag < 0 ? "" : ", tag " + tag);
  }
}
