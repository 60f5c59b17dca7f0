package dev.rialto.sparse.local;

import static java.util.Objects.requireNonNull;

import dev.rialto.spi.data.DType;
import java.lang.invoke.MethodHandles;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The loops that solve with a {@link Triangle} of one element type. */
interface TriangleKernels {
  static TriangleKernels of(DType type) {
    return requireNonNull(Loaded.BY_TYPE.get(Specialized.checked(type)));
  }

  /** The loops of each type. */
  final class Loaded {
    private static final Map<DType, TriangleKernels> BY_TYPE =
        Specialized.forEach(MethodHandles.lookup(), TriangleKernels.class, TriangleLoops.class);

    private Loaded() {}
  }

  /**
   * Solves {@code T x = b} with a triangle that is stored by rows; b and x may be the same.
   *
   * @param inverse the inverses of the diagonal; null for a diagonal of ones
   * @param upward from the last row to the first
   */
  void solveRows(
      int rows,
      int[] starts,
      int[] columns,
      Values values,
      @Nullable Values inverse,
      boolean upward,
      long b,
      long x);

  /** Solves with the transpose of such a triangle, in place. */
  void solveColumns(
      int rows,
      int[] starts,
      int[] columns,
      Values values,
      @Nullable Values inverse,
      boolean upward,
      boolean conjugate,
      long x);
}
