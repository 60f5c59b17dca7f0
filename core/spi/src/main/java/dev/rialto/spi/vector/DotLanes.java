package dev.rialto.spi.vector;

import static dev.rialto.system.AddressSpace.MEMORY;

import java.nio.ByteOrder;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * Partial sums of dot products of doubles. Eight sums whatever the length of a vector, so that the
 * bits are those of plain loops. Called only where {@link VectorApi} is present.
 */
public final class DotLanes {
  private static final boolean LONG = DoubleVector.SPECIES_PREFERRED.length() >= 8;

  private static final VectorSpecies<Double> EIGHT = DoubleVector.SPECIES_512;
  private static final VectorSpecies<Double> FOUR = DoubleVector.SPECIES_256;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  private DotLanes() {}

  /**
   * Adds whole eights of a block that starts at a multiple of 8 to sums; returns how far it got.
   */
  public static int add(int from, int to, long x, long y, double[] lanes) {
    return LONG ? eights(from, to, x, y, lanes) : fours(from, to, x, y, lanes);
  }

  private static int eights(int from, int to, long x, long y, double[] lanes) {
    DoubleVector sums = DoubleVector.fromArray(EIGHT, lanes, 0);
    int i = from;
    for (; i < to - 7; i += 8) {
      sums = sums.add(at(EIGHT, x, i).mul(at(EIGHT, y, i)));
    }
    sums.intoArray(lanes, 0);
    return i;
  }

  private static int fours(int from, int to, long x, long y, double[] lanes) {
    DoubleVector low = DoubleVector.fromArray(FOUR, lanes, 0);
    DoubleVector high = DoubleVector.fromArray(FOUR, lanes, 4);
    int i = from;
    for (; i < to - 7; i += 8) {
      low = low.add(at(FOUR, x, i).mul(at(FOUR, y, i)));
      high = high.add(at(FOUR, x, i + 4).mul(at(FOUR, y, i + 4)));
    }
    low.intoArray(lanes, 0);
    high.intoArray(lanes, 4);
    return i;
  }

  private static DoubleVector at(VectorSpecies<Double> species, long address, int i) {
    return DoubleVector.fromMemorySegment(species, MEMORY, address + 8L * i, ORDER);
  }
}
