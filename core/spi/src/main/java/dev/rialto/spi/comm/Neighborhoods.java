package dev.rialto.spi.comm;

import dev.rialto.spi.Capability;

/** Makes topologies: fixed patterns of who sends to whom. */
public interface Neighborhoods {
  /** Returns the name for messages. */
  String name();

  /**
   * Makes a topology in which this rank receives from {@code sources} and sends to {@code targets}.
   * Collective. The ranks' lists agree: each edge is named at both ends, as often at one as at the
   * other; a rank may be its own neighbour, be listed more than once, or have none. The arrays are
   * copied. Needs {@link Capability#NEIGHBORHOODS}.
   *
   * @throws IndexOutOfBoundsException if a rank does not exist
   * @throws dev.rialto.spi.error.MismatchException on all ranks, if the lists do not agree and the
   *     backend {@linkplain Capability#MISMATCH_DETECTION can tell}
   */
  default Topology topology(int[] sources, int[] targets) {
    throw Capability.NEIGHBORHOODS.unsupported(name());
  }
}
