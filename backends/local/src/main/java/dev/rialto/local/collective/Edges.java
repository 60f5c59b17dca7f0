package dev.rialto.local.collective;

/** The edges along which one rank receives in a topology. */
final class Edges {
  private final int[] sources;
  private final int[] blocks;

  /**
   * Makes edges.
   *
   * @param sources who sends along each
   * @param blocks which of that rank's blocks it is
   */
  Edges(int[] sources, int[] blocks) {
    this.sources = sources;
    this.blocks = blocks;
  }

  int count() {
    return sources.length;
  }

  int source(int edge) {
    return sources[edge];
  }

  int blockAtSource(int edge) {
    return blocks[edge];
  }
}
