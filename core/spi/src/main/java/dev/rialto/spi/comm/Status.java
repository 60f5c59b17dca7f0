package dev.rialto.spi.comm;

/**
 * The envelope of a message: its sender, tag and length.
 *
 * @param source the sender's rank
 * @param tag the sender's tag
 * @param bytes the length in bytes
 * @param cancelled whether the operation was cancelled; the other components mean nothing then
 */
public record Status(int source, int tag, long bytes, boolean cancelled) {
  /** The status of what has no message, such as a completed send or collective. */
  public static final Status EMPTY = new Status(-1, -1, 0, false);

  /** The status of a cancelled operation. */
  public static final Status CANCELLED = new Status(-1, -1, 0, true);

  /**
   * Returns the length in elements.
   *
   * @throws IllegalStateException if the bytes are not a whole number of elements
   */
  public long count(dev.rialto.spi.data.DType type) {
    if (bytes % type.size() != 0) {
      throw new IllegalStateException(
          ("%s bytes are no whole number of %s elements of %s bytes; receive with the type "
                  + "that was sent")
              .formatted(bytes, type, type.size()));
    }
    return bytes / type.size();
  }
}
