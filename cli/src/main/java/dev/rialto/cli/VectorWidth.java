package dev.rialto.cli;

import java.util.OptionalInt;
import jdk.incubator.vector.VectorShape;

/** How wide the vectors are that the JVM computes with on this processor. */
final class VectorWidth {

  private VectorWidth() {}

  /** The width in bits; empty if the incubating Vector API is not part of this JVM's modules. */
  static OptionalInt bits() {
    // The class that names the API must not be touched without it.
    return ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent()
        ? OptionalInt.of(Preferred.bits())
        : OptionalInt.empty();
  }

  private static final class Preferred {
    private Preferred() {}

    static int bits() {
      return VectorShape.preferredShape().vectorBitSize();
    }
  }
}
