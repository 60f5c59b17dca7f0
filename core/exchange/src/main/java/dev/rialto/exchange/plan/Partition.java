package dev.rialto.exchange.plan;

import java.util.Arrays;

/**
 * A division of the indices of one axis, dealt to the parts of a process grid: in blocks, one per
 * part and of any length, or in blocks of one length dealt round and round.
 *
 * <p>Immutable. A part's indices are numbered in ascending order; that number is the local index.
 */
public final class Partition {
  /** An array of Java's holds where each block begins. */
  private static final int MOST_BLOCKS = Integer.MAX_VALUE - 9;

  private final int parts;
  private final long extent;

  /**
   * The first indices of the blocks, and the end of the last: block {@code b} is of part b mod
   * parts.
   */
  private final long[] starts;

  /** The local index of each block's first: cyclic axes have too many blocks to add them up. */
  private final long[] locals;

  private Partition(int parts, long extent, long[] starts) {
    this.parts = parts;
    this.extent = extent;
    this.starts = starts;
    this.locals = new long[starts.length - 1];
    for (int b = parts; b < locals.length; b++) {
      locals[b] = locals[b - parts] + length(b - parts);
    }
  }

  private long length(int block) {
    return starts[block + 1] - starts[block];
  }

  /**
   * Deals one block to each part, their lengths differing by at most one, the longer ones first.
   */
  public static Partition block(long extent, int parts) {
    long[] starts = new long[checked(extent, parts) + 1];
    for (int part = 0; part <= parts; part++) {
      starts[part] = part * (extent / parts) + Math.min(part, extent % parts);
    }
    return new Partition(parts, extent, starts);
  }

  /**
   * Deals one block of a given length, possibly 0, to each part.
   *
   * @throws IllegalArgumentException if a length is negative
   */
  public static Partition blocks(long... lengths) {
    long[] starts = new long[checked(0, lengths.length) + 1];
    for (int part = 0; part < lengths.length; part++) {
      if (lengths[part] < 0) {
        throw new IllegalArgumentException(
            "block of part " + part + " has length " + lengths[part] + "; give at least 0");
      }
      starts[part + 1] = starts[part] + lengths[part];
      if (starts[part + 1] < 0) {
        throw new IllegalArgumentException(
            "blocks up to part %d have more than 2^63-1 indices together".formatted(part));
      }
    }
    return new Partition(lengths.length, starts[lengths.length], starts);
  }

  /** Deals blocks of {@code length} indices round and round; the last may be shorter. */
  public static Partition blockCyclic(long extent, int parts, long length) {
    int _ = checked(extent, parts);
    if (length < 1) {
      throw new IllegalArgumentException("blocks of " + length + " indices; give at least 1");
    }
    long each = Math.clamp(extent, 1, length);
    long blocks = Math.ceilDiv(extent, each);
    if (blocks > MOST_BLOCKS) {
      throw new IllegalArgumentException(
          "%d indices in %d blocks; the most is %d, give longer blocks"
              .formatted(extent, blocks, MOST_BLOCKS));
    }
    long[] starts = new long[Math.max((int) blocks, parts) + 1];
    Arrays.setAll(starts, b -> Math.min(b * each, extent));
    return new Partition(parts, extent, starts);
  }

  /** Deals single indices round and round. */
  public static Partition cyclic(long extent, int parts) {
    return blockCyclic(extent, parts, 1);
  }

  private static int checked(long extent, int parts) {
    if (parts < 1 || extent < 0) {
      throw new IllegalArgumentException(
          "an axis of %d indices for %d parts; give at least 0 for at least 1"
              .formatted(extent, parts));
    }
    if (parts > MOST_BLOCKS) {
      throw new IllegalArgumentException(
          "an axis in %d parts; the most is %d".formatted(parts, MOST_BLOCKS));
    }
    return parts;
  }

  /** Returns how many parts there are. */
  public int parts() {
    return parts;
  }

  /** Returns the indices of the axis. */
  public long extent() {
    return extent;
  }

  /** Returns whether each part has at most one block. */
  public boolean isBlock() {
    return starts.length == parts + 1;
  }

  /** Returns how many indices a part has. */
  public long count(int part) {
    int last = part + (locals.length - 1 - part) / parts * parts;
    return locals[last] + length(last);
  }

  /** Returns the first index of a part that has one block. */
  public long first(int part) {
    return starts[part];
  }

  /** Returns the part that has an index. */
  public int part(long index) {
    return blockOf(index) % parts;
  }

  /** Returns the local index of an index. */
  public long local(long index) {
    int block = blockOf(index);
    return locals[block] + index - starts[block];
  }

  /** Returns the index that a part has at a local one. */
  public long index(int part, long local) {
    int low = 0;
    int high = (starts.length - 2 - part) / parts + 1;
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      if (locals[part + middle * parts] <= local) {
        low = middle;
      } else {
        high = middle;
      }
    }
    int block = part + low * parts;
    return starts[block] + local - locals[block];
  }

  private int blockOf(long index) {
    int low = 0;
    int high = starts.length - 1;
    while (high - low > 1) {
      int middle = (low + high) >>> 1;
      if (starts[middle] <= index) {
        low = middle;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /**
   * Returns the indices that {@code part} of this and {@code otherPart} of another have in common,
   * as maximal runs that are contiguous on both sides.
   */
  Common common(int part, Partition other, int otherPart) {
    Common common = new Common();
    long mine = 0;
    long theirs = 0;
    int a = part;
    int b = otherPart;
    while (a + 1 < starts.length && b + 1 < other.starts.length) {
      long from = Math.max(starts[a], other.starts[b]);
      long to = Math.min(starts[a + 1], other.starts[b + 1]);
      if (from < to) {
        common.add(mine + from - starts[a], theirs + from - other.starts[b], to - from);
      }
      if (starts[a + 1] <= other.starts[b + 1]) {
        mine += starts[a + 1] - starts[a];
        a += parts;
      } else {
        theirs += other.starts[b + 1] - other.starts[b];
        b += other.parts;
      }
    }
    return common;
  }

  /** Returns the indices of a part in ascending order. */
  long[] indices(int part) {
    long[] indices = new long[Math.toIntExact(count(part))];
    int at = 0;
    for (int b = part; b + 1 < starts.length; b += parts) {
      for (long index = starts[b]; index < starts[b + 1]; index++) {
        indices[at++] = index;
      }
    }
    return indices;
  }

  /** Runs of indices that two parts share, by their local indices on either side. */
  static final class Common {
    int runs;
    long[] mine = new long[1];
    long[] theirs = new long[1];
    long[] lengths = new long[1];

    private void add(long a, long b, long length) {
      int last = runs - 1;
      if (runs > 0 && mine[last] + lengths[last] == a && theirs[last] + lengths[last] == b) {
        lengths[last] += length;
        return;
      }
      if (runs == mine.length) {
        mine = Arrays.copyOf(mine, 2 * runs);
        theirs = Arrays.copyOf(theirs, 2 * runs);
        lengths = Arrays.copyOf(lengths, 2 * runs);
      }
      mine[runs] = a;
      theirs[runs] = b;
      lengths[runs++] = length;
    }

    long count() {
      long count = 0;
      for (int run = 0; run < runs; run++) {
        count += lengths[run];
      }
      return count;
    }

    /** Returns whether the runs have one length and lie equally far apart on either side. */
    boolean isRegular() {
      for (int run = 1; run < runs; run++) {
        if (lengths[run] != lengths[0]
            || mine[run] - mine[run - 1] != mine[1] - mine[0]
            || theirs[run] - theirs[run - 1] != theirs[1] - theirs[0]) {
          return false;
        }
      }
      return true;
    }
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Partition that
        && parts == that.parts
        && Arrays.equals(starts, that.starts);
  }

  @Override
  public int hashCode() {
    return 31 * parts + Arrays.hashCode(starts);
  }
}
