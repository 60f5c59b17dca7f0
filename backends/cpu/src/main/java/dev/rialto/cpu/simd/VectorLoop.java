package dev.rialto.cpu.simd;

import static dev.rialto.system.AddressSpace.MEMORY;
import static java.util.Objects.requireNonNull;

import java.lang.invoke.MethodHandles;
import java.nio.ByteOrder;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * The loop that {@link VectorSimd} copies for each species and operator. Only the copies are used:
 * they find their constants in their class data, which this class itself does not have.
 */
final class VectorLoop implements VectorSimd.Loop {
  /** The constants by which copies differ. */
  record Constants(VectorSpecies<?> species, VectorOperators.Binary operator) {}

  private static final ByteOrder ORDER = ByteOrder.nativeOrder();
  private static final VectorSpecies<Object> SPECIES;
  private static final VectorOperators.Binary OPERATOR;

  static {
    try {
      Constants constants =
          requireNonNull(
              MethodHandles.classData(MethodHandles.lookup(), "_", Constants.class),
              "only copies of this class run");
      SPECIES = lanes(constants.species());
      OPERATOR = constants.operator();
    } catch (IllegalAccessException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** The lanes' type matters to nothing here, and no type fits all species. */
  @SuppressWarnings("unchecked")
  private static VectorSpecies<Object> lanes(VectorSpecies<?> species) {
    return (VectorSpecies<Object>) species;
  }

  @Override
  public void run(long left, long right, long target, long bytes) {
    int step = SPECIES.vectorByteSize();
    for (long i = 0; i < bytes; i += step) {
      Vector<Object> a = SPECIES.fromMemorySegment(MEMORY, left + i, ORDER);
      Vector<Object> b = SPECIES.fromMemorySegment(MEMORY, right + i, ORDER);
      a.lanewise(OPERATOR, b).intoMemorySegment(MEMORY, target + i, ORDER);
    }
  }
}
