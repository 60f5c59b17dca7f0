package dev.rialto.sparse.local;

import dev.rialto.runtime.Devices;
import dev.rialto.runtime.Resource;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;

/**
 * Finds the format whose products are fastest on this rank by running each, in turns, and comparing
 * the shortest times: the first ones are those of loops not compiled yet. Formats that would read
 * more than three times what CSR reads are left out unmeasured, as are those that are not for
 * products: COO and CSC scatter.
 */
public final class FormatChoice {
  private static final int FEWEST = 12;
  private static final int MOST = 200;

  /** Long enough for loops that no product has run yet to be compiled. */
  private static final long NANOS = 500_000_000;

  private FormatChoice() {}

  public static LocalMatrix fastest(Csr matrix) {
    List<LocalMatrix> candidates = new ArrayList<>();
    for (Format format : EnumSet.complementOf(EnumSet.of(Format.COO, Format.CSC))) {
      converted(matrix, format)
          .filter(candidate -> candidate.bytes() <= 3 * matrix.bytes() + 1000)
          .ifPresent(candidates::add);
    }
    long[] times = new long[candidates.size()];
    Arrays.fill(times, Long.MAX_VALUE);
    long bytes = Math.max(64, matrix.type().bytes(Math.max(matrix.rows(), matrix.columns())));
    try (Resource vectors = Devices.host().lend("vectors of a tuner", 2 * bytes)) {
      MemorySegment memory = vectors.segment().fill((byte) 0);
      long x = memory.address();
      long y = memory.address() + bytes;
      long begin = System.nanoTime();
      for (int round = 0;
          round < FEWEST || (round < MOST && System.nanoTime() - begin < NANOS);
          round++) {
        for (int i = 0; i < times.length; i++) {
          long start = System.nanoTime();
          candidates.get(i).multiply(Op.NONE, Scalar.ONE, x, Scalar.ZERO, y, 1, null);
          times[i] = Math.min(times[i], System.nanoTime() - start);
        }
      }
    }
    int best = 0;
    for (int i = 0; i < times.length; i++) {
      best = times[i] < times[best] ? i : best;
    }
    return candidates.get(best);
  }

  private static Optional<LocalMatrix> converted(Csr matrix, Format format) {
    try {
      return Optional.of(matrix.to(format));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
