package dev.rialto.sparse.local;

import java.nio.ByteOrder;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Products with pieces of a diagonal on the Vector API: loaded only where its module is present. A
 * product and a sum, not one fused operation, so that the bits are those of plain loops.
 */
final class VectorDiagonals {
  /** Whether the module is there. */
  static final boolean PRESENT = ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();

  private VectorDiagonals() {}

  /**
   * Adds {@code values[at + i] x[i]} to {@code sums[i]} for as many i, from 0, as fill vectors.
   *
   * @param x the address of {@code x[0]}
   * @return how many were added
   */
  static int add(double[] sums, int from, double[] values, int at, long x, int count) {
    return Loop.add(sums, from, values, at, x, count);
  }

  /** Kept apart so that asking whether the module is there does not load it. */
  private static final class Loop {
    private static final VectorSpecies<Double> SPECIES = DoubleVector.SPECIES_PREFERRED;
    private static final ByteOrder ORDER = ByteOrder.nativeOrder();

    static int add(double[] sums, int from, double[] values, int at, long x, int count) {
      int end = SPECIES.loopBound(count);
      for (int i = 0; i < end; i += SPECIES.length()) {
        DoubleVector product =
            DoubleVector.fromArray(SPECIES, values, at + i)
                .mul(DoubleVector.fromMemorySegment(SPECIES, Numbers.MEMORY, x + 8L * i, ORDER));
        DoubleVector.fromArray(SPECIES, sums, from + i).add(product).intoArray(sums, from + i);
      }
      return end;
    }
  }
}
