package dev.rialto.spi.copy;

import java.util.List;
import java.util.stream.Stream;

/**
 * The part of a plane that is transposed at once: so many bytes of each of so many lines of the
 * source. Long runs keep the prefetcher busy; few lines survive in one set of the second-level
 * cache, where all of them meet if they lie a power of two apart.
 *
 * @param run the bytes of each line
 * @param columns how many lines
 * @param past whether what no cache will hold is written past the caches
 */
public record CopyTile(int run, int columns, boolean past) {
  /** The most bytes of a tile that is written so. */
  static final int PAST_BYTES = 2048 * 16;

  /**
   * The tiles worth trying, the usual one first. Square tiles are slower where lines are far apart.
   */
  public static final List<CopyTile> ALL =
      Stream.of(
              new CopyTile(2048, 16, true),
              new CopyTile(2048, 8, true),
              new CopyTile(2048, 32, false),
              new CopyTile(1024, 32, false),
              new CopyTile(1024, 64, false))
          .filter(tile -> !tile.past || NonTemporal.available())
          .toList();

  /** The tile that suits most copies. */
  public static final CopyTile USUAL = ALL.getFirst();

  /**
   * Returns the tile of a text.
   *
   * @throws IllegalArgumentException if it is not one of {@link #ALL}
   */
  public static CopyTile parse(String text) {
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
