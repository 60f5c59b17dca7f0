package dev.rialto.exchange.kernel;

import java.util.List;
import java.util.stream.Stream;

/**
 * How much of a plane is transposed at once: so many bytes of each of so many lines of the source.
 * Long runs keep the prefetcher busy; few lines survive in one set of the second-level cache, where
 * all of them meet if they lie a power of two apart.
 *
 * @param past whether what no cache will hold is written {@linkplain NonTemporal past the caches}
 */
record Tile(int run, int columns, boolean past) {
  /** The bytes of the largest tile. */
  static final int MOST_BYTES = 2048 * 64;

  /** Square tiles of 64 elements take twice as long as these with lines 1 MiB apart. */
  static final Tile USUAL =
      new Tile(2048, NonTemporal.available() ? 16 : 32, NonTemporal.available());

  /** What is worth trying, the usual one first. */
  static final List<Tile> ALL =
      Stream.of(
              USUAL,
              new Tile(2048, 8, NonTemporal.available()),
              new Tile(2048, 32, false),
              new Tile(1024, 32, false),
              new Tile(1024, 64, false))
          .distinct()
          .toList();

  static Tile parse(String text) {
    return ALL.stream()
        .filter(tile -> tile.toString().equals(text))
        .findFirst()
        .orElseThrow(
            () -> new IllegalArgumentException("tiles of " + text + "; give one of " + ALL));
  }

  @Override
  public String toString() {
    return run + "x" + columns + (past ? "-past-caches" : "");
  }
}
