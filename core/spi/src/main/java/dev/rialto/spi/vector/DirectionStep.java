package dev.rialto.spi.vector;

import static dev.rialto.system.AddressSpace.MEMORY;

import java.nio.ByteOrder;
import jdk.incubator.vector.DoubleVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * The last step of an iteration of conjugate gradients. A plain loop that reads and writes the same
 * two vectors is packed by the JVM's compiler in a way that took 1.7 to 6 times as long as with
 * that left off, from run to run. Called only where {@link VectorApi} is present.
 */
public final class DirectionStep {
  private static final VectorSpecies<Double> SPECIES = DoubleVector.SPECIES_PREFERRED;
  private static final ByteOrder ORDER = ByteOrder.nativeOrder();

  private DirectionStep() {}

  /**
   * Sets {@code x += a p} and then {@code p = z + b p}, of whole vectors; returns how far it got.
   * Products are rounded before they are added, as in plain loops.
   */
  public static int run(int n, double a, long x, long z, double b, long p) {
    int i = 0;
    for (; i <= n - SPECIES.length(); i += SPECIES.length()) {
      DoubleVector old = at(p, i);
      at(x, i).add(old.mul(a)).intoMemorySegment(MEMORY, x + 8L * i, ORDER);
      at(z, i).add(old.mul(b)).intoMemorySegment(MEMORY, p + 8L * i, ORDER);
    }
    return i;
  }

  private static DoubleVector at(long address, int i) {
    return DoubleVector.fromMemorySegment(SPECIES, MEMORY, address + 8L * i, ORDER);
  }
}
