package dev.rialto.spi.vector;

import jdk.incubator.vector.FloatVector;

/** The JVM's preference, apart so that the Vector API's classes are looked for where they are. */
final class PreferredVector {
  private PreferredVector() {}

  static int bits() {
    return FloatVector.SPECIES_PREFERRED.vectorBitSize();
  }
}
