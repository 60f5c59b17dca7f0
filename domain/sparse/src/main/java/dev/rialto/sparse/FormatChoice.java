package dev.rialto.sparse;

import dev.rialto.sparse.local.Csr;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.local.LocalMatrix;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.Scalar;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Finds the format whose products are fastest on this rank by running each, in turns, and comparing
 * medians. Formats that would read more than three times what CSR reads are left out unmeasured.
 */
final class FormatChoice {
  private static final int WARM_UP = 3;
  private static final int ROUNDS = 7;

  private FormatChoice() {}

  static LocalMatrix fastest(Csr matrix) {
    List<LocalMatrix> candidates = new ArrayList<>();
    for (Format format : new Format[] {Format.CSR, Format.SELL, Format.ELL, Format.DIA}) {
      converted(matrix, format)
          .filter(candidate -> candidate.bytes() <= 3 * matrix.bytes() + 1000)
          .ifPresent(candidates::add);
    }
    long[][] times = new long[candidates.size()][ROUNDS];
    try (Arena arena = Arena.ofConfined()) {
      long bytes = Math.max(64, matrix.type().bytes(Math.max(matrix.rows(), matrix.columns())));
      MemorySegment x = arena.allocate(bytes, 64);
      MemorySegment y = arena.allocate(bytes, 64);
      for (int round = -WARM_UP; round < ROUNDS; round++) {
        for (int i = 0; i < times.length; i++) {
          long start = System.nanoTime();
          candidates
              .get(i)
              .multiply(Op.NONE, Scalar.ONE, x.address(), Scalar.ZERO, y.address(), 1, null);
          if (round >= 0) {
            times[i][round] = System.nanoTime() - start;
          }
        }
      }
    }
    int best = 0;
    for (int i = 0; i < times.length; i++) {
      Arrays.sort(times[i]);
      if (times[i][ROUNDS / 2] < times[best][ROUNDS / 2]) {
        best = i;
      }
    }
    return candidates.get(best);
  }

  /** Converts, or not if the format says that it does not fit. */
  private static Optional<LocalMatrix> converted(Csr matrix, Format format) {
    try {
      return Optional.of(matrix.to(format));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
