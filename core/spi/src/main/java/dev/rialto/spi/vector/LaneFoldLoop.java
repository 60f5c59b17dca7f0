package dev.rialto.spi.vector;

import static dev.rialto.system.AddressSpace.MEMORY;

import dev.rialto.spi.data.DType;
import java.lang.constant.ConstantDescs;
import java.lang.invoke.MethodHandles;
import java.nio.ByteOrder;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;
import org.jspecify.annotations.Nullable;

/**
 * Combines elements of one type with an operator that vectors have. Loaded once more for each
 * {@link FoldKind}, whose parts are constants there: one loop for all types and operators, and the
 * compiler makes each of them a few instructions.
 */
final class LaneFoldLoop implements LaneFold {
  private static final FoldKind KIND = kind();
  private static final VectorSpecies<Number> FROM = species(KIND.from());
  private static final VectorSpecies<Number> TO = species(KIND.to());
  private static final boolean WIDEN = !FROM.equals(TO);
  private static final VectorOperators.Binary OP = KIND.op();
  private static final VectorOperators.@Nullable Binary PAIR = KIND.pair();
  private static final int LENGTH = FROM.length();
  private static final int SIZE = FROM.vectorByteSize();

  private static FoldKind kind() {
    try {
      return MethodHandles.classData(
          MethodHandles.lookup(), ConstantDescs.DEFAULT_NAME, FoldKind.class);
    } catch (IllegalAccessException e) {
      throw new IllegalStateException(e);
    }
  }

  @SuppressWarnings("unchecked") // elements are only moved and combined with their like
  private static VectorSpecies<Number> species(VectorSpecies<?> species) {
    return (VectorSpecies<Number>) species;
  }

  private static Vector<Number> load(long address) {
    Vector<Number> loaded = FROM.fromMemorySegment(MEMORY, address, ByteOrder.nativeOrder());
    return WIDEN ? loaded.castShape(TO, 0) : loaded;
  }

  private static Vector<Number> term(long in, long b, long offset) {
    Vector<Number> x = load(in + offset);
    return PAIR == null ? x : x.lanewise(PAIR, load(b + offset));
  }

  @Override
  public int lanes() {
    return 2 * LENGTH;
  }

  @Override
  public DType type() {
    return KIND.lanes();
  }

  @Override
  public int fold(long in, long other, int count, long to) {
    int whole = count - count % (2 * LENGTH);
    if (whole > 0) {
      Vector<Number> low = term(in, other, 0);
      Vector<Number> high = term(in, other, SIZE);
      for (int i = 2 * LENGTH; i < whole; i += 2 * LENGTH) {
        long offset = (long) SIZE / LENGTH * i;
        low = low.lanewise(OP, term(in, other, offset));
        high = high.lanewise(OP, term(in, other, offset + SIZE));
      }
      low.intoMemorySegment(MEMORY, to, ByteOrder.nativeOrder());
      high.intoMemorySegment(MEMORY, to + TO.vectorByteSize(), ByteOrder.nativeOrder());
    }
    return whole;
  }
}
