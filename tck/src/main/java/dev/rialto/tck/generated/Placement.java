package dev.rialto.tck.generated;

import dev.rialto.tck.Coverage;
import dev.rialto.tck.Coverage.Dimension;
import java.util.List;
import java.util.Locale;

/**
 * The memory of a buffer.
 *
 * @param kind what it is allocated from
 * @param offset bytes from an aligned address
 * @param readOnly whether what is only read is given as a read-only segment
 */
public record Placement(Kind kind, int offset, boolean readOnly) {
  public enum Kind {
    /** An arena of the rank's thread. */
    CONFINED,
    /** An arena of all threads. */
    SHARED,
    /** An arena that the collector frees. */
    AUTOMATIC,
    /** An array on the heap. */
    HEAP
  }

  private static final int ALIGNED = 64;

  public static Placement draw(Draw draw, boolean heap) {
    List<Kind> kinds =
        heap
            ? List.of(
                Kind.CONFINED, Kind.CONFINED, Kind.HEAP, Kind.HEAP, Kind.SHARED, Kind.AUTOMATIC)
            : List.of(Kind.CONFINED, Kind.CONFINED, Kind.CONFINED, Kind.SHARED, Kind.AUTOMATIC);
    int offset = draw.once(2) ? 0 : draw.below(ALIGNED);
    return new Placement(draw.of(kinds), offset, draw.once(3));
  }

  /** Notes the kind, the alignment and whether it is read-only, each by itself. */
  public void cover(Coverage coverage, String operation) {
    coverage.add(operation, Dimension.MEMORY, kind.name().toLowerCase(Locale.ROOT));
    if (offset != 0) {
      coverage.add(operation, Dimension.MEMORY, offset % 2 == 0 ? "even" : "odd");
    }
    if (readOnly) {
      coverage.add(operation, Dimension.MEMORY, "read-only");
    }
  }

  String label() {
    return kind.name().toLowerCase(Locale.ROOT) + "+" + offset + (readOnly ? " read-only" : "");
  }
}
