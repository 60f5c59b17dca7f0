package dev.rialto.spi.copy;

/** Copies bytes that lie together on both sides. */
final class BlockCopy extends StridedCopy {
  private static final long UNIT = 64 << 10;

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
  public long units() {
    return (bytes + UNIT - 1) / UNIT;
  }

  @Override
  public void run(long from, long to, long begin, long end) {
    long at = begin * UNIT;
    AddressCopy.bytes(from + fromOffset + at, to + toOffset + at, Math.min(end * UNIT, bytes) - at);
  }

  @Override
  public void forEachPiece(long begin, long end, PieceVisitor visitor) {
    if (begin < end) {
      long at = begin * UNIT;
      visitor.take(fromOffset + at, toOffset + at, Math.min(end * UNIT, bytes) - at);
    }
  }
}
