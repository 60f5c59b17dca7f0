package dev.rialto.bench.comm;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLongArray;

/** The times of the hardware itself: a cache line between two cores, a copy by two cores. */
final class Floors {
  private static final int LINE = 16;
  private static final long PIECE = 256 << 10;

  private Floors() {}

  /** Returns the microseconds that a store takes to be seen by another core. */
  static double lineMicros(int handovers) {
    AtomicLongArray flags = new AtomicLongArray(3 * LINE);
    Thread echo =
        Thread.ofPlatform()
            .name("rialto-floor")
            .start(
                () -> {
                  for (long i = 1; i <= handovers; i++) {
                    while (flags.getAcquire(LINE) != i) {
                      Thread.onSpinWait();
                    }
                    flags.setRelease(2 * LINE, i);
                  }
                });
    long start = System.nanoTime();
    for (long i = 1; i <= handovers; i++) {
      flags.setRelease(LINE, i);
      while (flags.getAcquire(2 * LINE) != i) {
        Thread.onSpinWait();
      }
    }
    double micros = (System.nanoTime() - start) / 1e3 / handovers / 2;
    join(echo);
    return micros;
  }

  /** Returns the microseconds of copying a block, half by each of two cores, without handover. */
  static double copyMicros(long bytes, int copies) {
    return copyMicros(bytes, bytes, copies);
  }

  /**
   * Returns the microseconds of copying a block piece by piece. Large copies bypass the caches;
   * those of short pieces write through them, as every loop does: each line is read before it is
   * written.
   */
  static double plainCopyMicros(long bytes, int copies) {
    return copyMicros(bytes, PIECE, copies);
  }

  private static double copyMicros(long bytes, long piece, int copies) {
    double[] micros = new double[2];
    Thread other =
        Thread.ofPlatform()
            .name("rialto-floor")
            .start(() -> micros[1] = copyHalf(bytes / 2, piece, copies));
    micros[0] = copyHalf(bytes - bytes / 2, piece, copies);
    join(other);
    return Math.max(micros[0], micros[1]);
  }

  private static double copyHalf(long bytes, long piece, int copies) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment from = arena.allocate(bytes, 4096).fill((byte) 1);
      MemorySegment to = arena.allocate(bytes, 4096).fill((byte) 1);
      long start = System.nanoTime();
      for (int i = 0; i < copies; i++) {
        for (long at = 0; at < bytes; at += piece) {
          MemorySegment.copy(from, at, to, at, Math.min(piece, bytes - at));
        }
      }
      return (System.nanoTime() - start) / 1e3 / copies;
    }
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while measuring", e);
    }
  }
}
