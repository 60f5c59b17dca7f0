package dev.rialto.cpu.code;

import jdk.incubator.vector.FloatVector;

/** Apart, so that the Vector API's classes are looked for only where they are. */
final class VectorWidth {
  private VectorWidth() {}

  static int preferred() {
    return FloatVector.SPECIES_PREFERRED.vectorBitSize();
  }
}
