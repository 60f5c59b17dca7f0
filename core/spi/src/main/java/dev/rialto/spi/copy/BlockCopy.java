package dev.rialto.spi.copy;

/** Copies bytes that lie together on both sides. */
final class BlockCopy extends StridedCopy {
  private final long fromOffset;
  private final long toOffset;
  private final long bytes;

  BlockCopy(long fromOffset, long toOffset, long bytes) {
    this.fromOffset = fromOffset;
    this.toOffset = toOffset;
    this.bytes = bytes;
  }

  long fromOffset() {
    return fromOffset;
  }

  long toOffset() {
    return toOffset;
  }

  @Override
  public long bytes() {
    return bytes;
  }

  @Override
  public void run(long from, long to) {
    AddressCopy.bytes(from + fromOffset, to + toOffset, bytes);
  }

  @Override
  public void forEachPiece(PieceVisitor visitor) {
    if (bytes > 0) {
      visitor.take(fromOffset, toOffset, bytes);
    }
  }
}
