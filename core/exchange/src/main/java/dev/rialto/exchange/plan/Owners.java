package dev.rialto.exchange.plan;

import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.data.Shape;
import java.util.Arrays;
import java.util.function.LongToIntFunction;

/** An array of which each element's rank is listed; 12 bytes per global element. */
public final class Owners implements Distribution {
  private final Shape shape;
  private final int[] owner;
  private final long[] local;
  private final long[] counts;

  /** Tells one list from another in texts that ranks compare. */
  private final int digest;

  private Owners(Shape shape, int[] owner, int ranks) {
    this.shape = shape;
    this.owner = owner;
    this.local = new long[owner.length];
    this.counts = new long[ranks];
    this.digest = Arrays.hashCode(owner);
    for (int i = 0; i < owner.length; i++) {
      Arguments.rank(owner[i], ranks, "owner of element " + i + ", rank");
      local[i] = counts[owner[i]]++;
    }
  }

  static Owners of(Shape shape, int ranks, LongToIntFunction owner) {
    long count = shape.count();
    if (count > Integer.MAX_VALUE - 8) {
      throw new IllegalArgumentException(
          count + " elements with listed owners; the most is 2^31-9, use blocks for more");
    }
    int[] owners = new int[(int) count];
    for (int i = 0; i < owners.length; i++) {
      owners[i] = owner.applyAsInt(i);
    }
    return new Owners(shape, owners, ranks);
  }

  @Override
  public Shape shape() {
    return shape;
  }

  @Override
  public int ranks() {
    return counts.length;
  }

  @Override
  public long localCount(int rank) {
    return counts[rank];
  }

  @Override
  public int owner(long element) {
    return owner[(int) element];
  }

  @Override
  public long local(long element) {
    return local[(int) element];
  }

  @Override
  public long[] elements(int rank) {
    long[] elements = new long[Math.toIntExact(counts[rank])];
    int at = 0;
    for (int i = 0; i < owner.length; i++) {
      if (owner[i] == rank) {
        elements[at++] = i;
      }
    }
    return elements;
  }

  @Override
  public String toString() {
    return "%s by owner over %d (owners %08x)".formatted(shape, ranks(), digest);
  }
}
