package dev.rialto.sparse;

import dev.rialto.array.Array;
import dev.rialto.array.Decomposition;
import dev.rialto.exchange.plan.Distribution;
import dev.rialto.runtime.Devices;
import dev.rialto.sparse.ownership.ListedRows;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.Arena;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The arrays that are vectors of a map: those whose elements, in row-major order of the whole
 * array, are its indices, held where the map says. An array with one more axis is several vectors.
 */
final class ArrayFit {
  private final IndexMap map;
  private final HaloMemory halos =
      new HaloMemory(
          bytes -> Devices.host().lend("halos", bytes).until(Arena.ofAuto()).fill((byte) 0));
  private @Nullable Distribution known;
  private int width;

  ArrayFit(IndexMap map) {
    this.map = map;
  }

  /**
   * Returns how many vectors an array is.
   *
   * @throws IllegalArgumentException if it is of another type, or divided in another way
   */
  int width(Array array, DType type) {
    if (array.type() != type) {
      throw new IllegalArgumentException(
          "%s as a vector of %s; make one of that type".formatted(array, type));
    }
    Distribution distribution = array.distribution();
    Decomposition mine = map.space().decomposition();
    Decomposition its = array.space().decomposition();
    if ((mine instanceof ListedRows || its instanceof ListedRows) && !mine.equals(its)) {
      throw refusal(array);
    }
    if (!Objects.equals(distribution, known)) {
      width = check(array, distribution);
      known = distribution;
    }
    return width;
  }

  private int check(Array array, Distribution distribution) {
    Shape shape = array.shape();
    Distribution one = map.space().distribution();
    long size = one.shape().count();
    long vectors = size == 0 ? 1 : shape.count() / size;
    int rank = map.comm().rank();
    boolean fits =
        vectors * size == shape.count()
            && (vectors == 1 || (shape.rank() > 1 && shape.extent(shape.rank() - 1) == vectors))
            && distribution.ranks() == map.comm().size()
            && distribution.localCount(rank) == map.owned() * vectors;
    long count = map.owned() * vectors;
    if (fits && !distribution.equals(one)) {
      long[] elements = new long[map.owned()];
      for (long element : one.elements(rank)) {
        elements[(int) one.local(element)] = element;
      }
      for (long i = 0; fits && i < count; i++) {
        fits = array.elementAt(i) == elements[(int) (i / vectors)] * vectors + i % vectors;
      }
    }
    if (!fits) {
      throw refusal(array);
    }
    return Math.toIntExact(vectors);
  }

  private IllegalArgumentException refusal(Array array) {
    return new IllegalArgumentException(
        "%s as a vector of %s; make it in the space of the matrix, map().space()"
            .formatted(array, map));
  }

  /** Returns the memory of the halos of arrays on the host. */
  HaloMemory halos() {
    return halos;
  }

  /** Returns whether an array has no gaps on any rank; views may have some on one. */
  static boolean isDense(Array array) {
    return !array.space().hasHalo() && !array.isView();
  }
}
