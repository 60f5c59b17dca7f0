package dev.rialto.spi.vector;

import static dev.rialto.system.AddressSpace.MEMORY;

import java.nio.ByteOrder;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Products of rows of diagonals with a vector of doubles, the sums in a register: each diagonal is
 * one stream that the processor can fetch ahead. A product and a sum, not one fused operation, so
 * that the bits are those of plain loops. Called only where {@link VectorApi} is present.
 */
public final class DiagonalRows {
  private static final VectorSpecies<Double> SPECIES = DoubleVector.SPECIES_PREFERRED;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  private DiagonalRows() {}

  /**
   * Sets {@code y[i]} to the sum of {@code values[place[d] + i] * x[i + offset[d]]} over the
   * diagonals, for rows as long as they fill a vector.
   *
   * @param active how many diagonals there are
   * @return the row where it ended
   */
  public static int multiply(
      int first, int end, int active, int[] offset, int[] place, double[] values, long x, long y) {
    int i = first;
    for (; i <= end - SPECIES.length(); i += SPECIES.length()) {
      DoubleVector sum = DoubleVector.zero(SPECIES);
      for (int d = 0; d < active; d++) {
        sum =
            sum.add(
                DoubleVector.fromArray(SPECIES, values, place[d] + i)
                    .mul(
                        DoubleVector.fromMemorySegment(
                            SPECIES, MEMORY, x + 8L * (i + offset[d]), ORDER)));
      }
      sum.intoMemorySegment(MEMORY, y + 8L * i, ORDER);
    }
    return i;
  }
}
