package dev.rialto.exchange.plan;

import dev.rialto.spi.data.Shape;
import java.util.function.LongToIntFunction;

/**
 * The owner of each element of a global array, and its place in the owner's local array.
 *
 * <p>Global elements are numbered in the row-major order of the global shape. Every rank makes the
 * same distribution. Immutable.
 */
public sealed interface Distribution permits Grid, Owners {
  /** Returns the shape of the global array. */
  Shape shape();

  /** Returns how many ranks there are, those that hold nothing among them. */
  int ranks();

  /** Returns how many elements a rank holds. */
  long localCount(int rank);

  /** Returns the rank that holds an element. */
  int owner(long element);

  /** Returns where its owner holds an element. */
  long local(long element);

  /** Returns a rank's elements in ascending order. */
  long[] elements(int rank);

  /**
   * Distributes by a function, such as a hash or the result of a partitioner. Each rank holds its
   * elements in ascending order. The function is called once for each element.
   */
  static Distribution byOwner(long count, int ranks, LongToIntFunction owner) {
    return byOwner(Shape.of(count), ranks, owner);
  }

  /** Distributes an array of any rank by a function of an element's number. */
  static Distribution byOwner(Shape shape, int ranks, LongToIntFunction owner) {
    return Owners.of(shape, ranks, owner);
  }

  /** Gives all of an array to one rank. */
  static Distribution onOne(Shape shape, int ranks, int root) {
    return Grid.onOne(shape, ranks, root);
  }
}
