package dev.rialto.jit;

import dev.rialto.spi.data.DType;
import org.jspecify.annotations.Nullable;

/** Something an index is made of. Two of the same name are different symbols. */
public sealed interface Symbol {
  /** Returns the name, for printing. */
  String name();

  /** Returns how many values it takes, from 0 up; of one that is read, the most there can be. */
  long size();

  private static void requireInteger(ScalarExpression.Read read, String what) {
    if (read.type().kind() != DType.Kind.INTEGER) {
      throw new IllegalArgumentException(
          "%s is of type %s, but %s; cast it into an integer node first"
              .formatted(read, read.type(), what));
    }
  }

  /** An axis of the space that an assignment runs over. */
  final class Iter implements Symbol {
    private final String name;
    private final long size;
    private final ScalarExpression.@Nullable Read end;

    /** Makes an axis of {@code size} positions. */
    public Iter(String name, long size) {
      this(name, size, null);
    }

    /**
     * Makes an axis whose length is read when the program runs.
     *
     * @param size its most positions
     * @param end its length, of integers, at most the size; null if it is the size
     */
    public Iter(String name, long size, ScalarExpression.@Nullable Read end) {
      this.name = name;
      this.size = size;
      this.end = end;
      if (end != null) {
        requireInteger(end, "axis " + name + " ends there");
      }
    }

    /** Returns what its length is read from; null if that is the size. */
    public ScalarExpression.@Nullable Read end() {
      return end;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  /**
   * An integer element of a node: an index that is read when the program runs. Two of the same
   * element are one symbol. It may be any number; where an index made of it is outside of an axis,
   * an element that is read is 0 and one that is assigned is left out.
   *
   * @param read the element
   */
  record Element(ScalarExpression.Read read) implements Symbol {
    /** Checks the type. */
    public Element {
      requireInteger(read, "an index is made of it");
    }

    @Override
    public String name() {
      return read.toString();
    }

    @Override
    public long size() {
      return Long.MAX_VALUE;
    }
  }

  /** An index that is bound each time a routine runs, such as a batch's number. */
  final class StaticIndex implements Symbol {
    private final String name;
    private final long size;

    /**
     * Makes an index.
     *
     * @param size its values are from 0 to {@code size - 1}
     */
    public StaticIndex(String name, long size) {
      if (size < 1) {
        throw new IllegalArgumentException(
            "static index " + name + " has " + size + " values; give at least 1");
      }
      this.name = name;
      this.size = size;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public long size() {
      return size;
    }

    @Override
    public String toString() {
      return name;
    }
  }
}
