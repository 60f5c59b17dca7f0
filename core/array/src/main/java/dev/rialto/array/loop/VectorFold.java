package dev.rialto.array.loop;

import static dev.rialto.system.AddressSpace.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.array.part.Elements;
import java.lang.constant.ConstantDescs;
import java.lang.invoke.MethodHandles;
import java.nio.ByteOrder;
import jdk.incubator.vector.Vector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;
import org.jspecify.annotations.Nullable;

/**
 * Combines elements of one type with an operator that vectors have. Loaded once more for each
 * {@link VectorKind}, whose parts are constants there: one loop for all types and operators, and
 * the compiler makes each of them a few instructions.
 */
public final class VectorFold implements Fold {
  private static final VectorKind KIND = kind();
  private static final VectorSpecies<Number> FROM = species(KIND.from());
  private static final VectorSpecies<Number> TO = species(KIND.to());
  private static final boolean WIDEN = !FROM.equals(TO);
  private static final VectorOperators.Binary OP = KIND.op();
  private static final VectorOperators.@Nullable Binary PAIR = KIND.pair();
  private static final int LENGTH = FROM.length();
  private static final int SIZE = FROM.vectorByteSize();

  private static VectorKind kind() {
    try {
      return MethodHandles.classData(
          MethodHandles.lookup(), ConstantDescs.DEFAULT_NAME, VectorKind.class);
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
  public void fold(
      Object op,
      boolean anyOrder,
      @Nullable Object f,
      Elements from,
      long in,
      @Nullable Elements other,
      long b,
      long count,
      long to) {
    int n = (int) count;
    int whole = n - n % (2 * LENGTH);
    long all;
    int done = whole;
    if (whole > 0) {
      Vector<Number> low = term(in, b, 0);
      Vector<Number> high = term(in, b, SIZE);
      for (int i = 2 * LENGTH; i < whole; i += 2 * LENGTH) {
        long offset = (long) SIZE / LENGTH * i;
        low = low.lanewise(OP, term(in, b, offset));
        high = high.lanewise(OP, term(in, b, offset + SIZE));
      }
      low.intoMemorySegment(MEMORY, to, ByteOrder.nativeOrder());
      high.intoMemorySegment(MEMORY, to + TO.vectorByteSize(), ByteOrder.nativeOrder());
      all = lanes(op, to, 0, 2 * LENGTH);
    } else {
      all = LoopsBody.term(f, from, in, other, b, 0);
      done = 1;
    }
    for (int i = done; i < n; i++) {
      all = LoopsBody.binary(op, all, LoopsBody.term(f, from, in, other, b, i));
    }
    MEMORY.set(JAVA_LONG, to, all);
  }

  /** Combines lanes in halves. */
  private static long lanes(Object op, long at, int first, int count) {
    if (count == 1) {
      return Elements.of(KIND.lanes()).get(at, first);
    }
    int half = count / 2;
    return LoopsBody.binary(op, lanes(op, at, first, half), lanes(op, at, first + half, half));
  }
}
