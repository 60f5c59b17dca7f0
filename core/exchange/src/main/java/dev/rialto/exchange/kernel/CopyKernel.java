package dev.rialto.exchange.kernel;

import dev.rialto.spi.exec.Executor;
import org.jspecify.annotations.Nullable;

/** Copies bytes that lie together on both sides. */
final class CopyKernel extends SharedKernel {
  private static final long PIECE = 64 << 10;

  private final long fromOffset;
  private final long toOffset;
  private final long bytes;

  CopyKernel(long fromOffset, long toOffset, long bytes, @Nullable Executor executor) {
    super((bytes + PIECE - 1) / PIECE, bytes, executor);
    this.fromOffset = fromOffset;
    this.toOffset = toOffset;
    this.bytes = bytes;
  }

  @Override
  public void run(long begin, long end) {
    long at = begin * PIECE;
    Address.copy(from + fromOffset + at, to + toOffset + at, Math.min(end * PIECE, bytes) - at);
  }
}
