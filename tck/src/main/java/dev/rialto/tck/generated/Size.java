package dev.rialto.tck.generated;

/**
 * The length of blocks.
 *
 * @param bytes the length, or the most
 * @param exact whether every block is so long
 */
public record Size(long bytes, boolean exact) {
  public static Size upTo(long bytes) {
    return new Size(bytes, false);
  }

  static Size exactly(long bytes) {
    return new Size(bytes, true);
  }

  Size part(int parts) {
    return new Size(bytes / parts, exact);
  }
}
