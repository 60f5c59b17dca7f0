package dev.rialto.jit;

/** Something an index is made of. Two of the same name are different symbols. */
public sealed interface Symbol {
  /** Returns the name, for printing. */
  String name();

  /** Returns how many values it takes, from 0 up. */
  long size();

  /** An axis of the space that an assignment runs over. */
  final class Iter implements Symbol {
    private final String name;
    private final long size;

    /** Makes an axis of {@code size} positions. */
    public Iter(String name, long size) {
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
