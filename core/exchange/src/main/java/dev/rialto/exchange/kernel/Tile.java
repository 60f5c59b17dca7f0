package dev.rialto.exchange.kernel;

import java.util.List;

/**
 * How much of a plane is transposed at once: so many bytes of each of so many lines of the source.
 * Long runs keep the prefetcher busy; few lines survive in one set of the second-level cache, where
 * all of them meet if they lie a power of two apart.
 */
record Tile(int run, int columns) {
  /** Square tiles of 64 elements take twice as long as these with lines 1 MiB apart. */
  static final Tile USUAL = new Tile(2048, 32);

  /** What is worth trying, the usual one first. */
  static final List<Tile> ALL =
      List.of(USUAL, new Tile(1024, 32), new Tile(1024, 64), new Tile(2048, 64));

  static Tile parse(String text) {
    return ALL.stream()
        .filter(tile -> tile.toString().equals(text))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("tiles of " + text + "; give one of " + ALL));
  }

  @Override
  public String toString() {
    return run + "x" + columns;
  }
}
