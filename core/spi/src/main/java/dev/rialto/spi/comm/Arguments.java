package dev.rialto.spi.comm;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.stream.IntStream;

/**
 * The argument checks every communicator makes, so that the same mistake gets the same words from
 * every backend: the value, the limit and what to do.
 */
public final class Arguments {
  private Arguments() {}

  /** Checks that {@code rank} exists; {@code role} says what it is, such as {@code target}. */
  public static void rank(int rank, int size, String role) {
    if (rank < 0 || rank >= size) {
      throw new IndexOutOfBoundsException(
          role + " " + rank + " does not exist; ranks here are 0 to " + (size - 1));
    }
  }

  /** Checks a rank that may also be {@link PointToPoint#ANY_SOURCE}. */
  public static void source(int rank, int size) {
    if (rank != PointToPoint.ANY_SOURCE) {
      rank(rank, size, "source");
    }
  }

  /** Checks the tag of a message to send. */
  public static void tag(int tag, int maxTag) {
    if (tag < 0 || tag > maxTag) {
      throw new IllegalArgumentException("tag " + tag + " is not from 0 to " + maxTag);
    }
  }

  /** Checks a tag that may also be {@link PointToPoint#ANY_TAG}. */
  public static void wildcardTag(int tag, int maxTag) {
    if (tag != PointToPoint.ANY_TAG) {
      tag(tag, maxTag);
    }
  }

  /**
   * Checks that a buffer holds {@code count} elements.
   *
   * @return the bytes of the elements
   */
  public static long buffer(MemorySegment buffer, DType type, long count, String role) {
    long bytes = type.bytes(count);
    if (bytes > buffer.byteSize()) {
      throw new IndexOutOfBoundsException(tooSmall(buffer, role, bytes, count + " " + type));
    }
    return bytes;
  }

  /** Checks that a buffer holds everything a layout names. */
  public static void buffer(MemorySegment buffer, Layout layout, String role) {
    if (layout.span() > buffer.byteSize()) {
      throw new IndexOutOfBoundsException(tooSmall(buffer, role, layout.span(), layout.toString()));
    }
  }

  /** Checks that two layouts describe the same message. */
  public static void sameMessage(Layout from, Layout to) {
    if (from.type() != to.type() || from.count() != to.count()) {
      throw new IllegalArgumentException(
          "layouts of %d %s and %d %s; give the same number of the same type"
              .formatted(from.count(), from.type(), to.count(), to.type()));
    }
  }

  /** Checks that a buffer can be written. */
  public static void writable(MemorySegment buffer, String role) {
    if (buffer.isReadOnly()) {
      throw new IllegalArgumentException(role + " is read-only; give memory that can be written");
    }
  }

  /**
   * Checks counts and displacements, one per rank, against a buffer.
   *
   * @param displacements where each block starts, in elements
   */
  public static void blocks(
      MemorySegment buffer,
      DType type,
      long[] counts,
      long[] displacements,
      int parties,
      String role) {
    perRank(counts.length, parties, role + " counts");
    perRank(displacements.length, parties, role + " displacements");
    for (int i = 0; i < parties; i++) {
      long bytes = type.bytes(counts[i]);
      if (displacements[i] < 0) {
        throw new IllegalArgumentException(
            role + " displacement " + displacements[i] + " of block " + i + " is negative");
      }
      if (bytes > 0 && type.bytes(displacements[i]) > buffer.byteSize() - bytes) {
        throw new IndexOutOfBoundsException(
            "%s holds %s bytes, but block %s is %s %s from element %s"
                .formatted(role, buffer.byteSize(), i, counts[i], type, displacements[i]));
      }
    }
  }

  /**
   * Checks counts and displacements of blocks that are written, as {@link #blocks} does, and that
   * no two of them meet: what is there at last would depend on which came first.
   */
  public static void writtenBlocks(
      MemorySegment buffer,
      DType type,
      long[] counts,
      long[] displacements,
      int parties,
      String role) {
    blocks(buffer, type, counts, displacements, parties, role);
    int last = -1;
    for (int i = 0; i < parties; i++) {
      if (counts[i] > 0) {
        if (last >= 0 && displacements[i] < displacements[last] + counts[last]) {
          apart(counts, displacements, role);
          return;
        }
        last = i;
      }
    }
  }

  /** Checks blocks that are not in the order of memory. */
  private static void apart(long[] counts, long[] displacements, String role) {
    int[] order =
        IntStream.range(0, counts.length)
            .filter(block -> counts[block] > 0)
            .boxed()
            .sorted(Comparator.comparingLong(block -> displacements[block]))
            .mapToInt(Integer::intValue)
            .toArray();
    for (int i = 1; i < order.length; i++) {
      int one = order[i - 1];
      int two = order[i];
      if (displacements[two] < displacements[one] + counts[one]) {
        throw new IllegalArgumentException(
            "%s blocks %d, %d elements from %d, and %d, from %d, overlap; give each its own place"
                .formatted(role, one, counts[one], displacements[one], two, displacements[two]));
      }
    }
  }

  /** Returns the elements of as many blocks of {@code count}. */
  public static long blocks(DType type, long count, int blocks) {
    if (type.bytes(count) > Long.MAX_VALUE / Math.max(blocks, 1)) {
      throw new IllegalArgumentException(
          blocks + " blocks of " + count + " " + type + " exceed 2^63-1 bytes; give fewer");
    }
    return count * blocks;
  }

  /** Checks the counts of a {@link Collective.ReduceScatter} and returns their sum. */
  public static long total(DType type, long[] counts, int parties) {
    perRank(counts.length, parties, "counts");
    long bytes = 0;
    for (long count : counts) {
      if (type.bytes(count) > Long.MAX_VALUE - bytes) {
        throw new IllegalArgumentException(
            "counts %s of %s exceed 2^63-1 bytes; give fewer"
                .formatted(Arrays.toString(counts), type));
      }
      bytes += type.bytes(count);
    }
    return bytes / type.size();
  }

  /** Checks that what is read and what is written are different memory. */
  public static void disjoint(MemorySegment send, long sent, MemorySegment receive, long received) {
    if (overlap(send, sent, receive, received)) {
      throw new IllegalArgumentException(
          "send and receive overlap: %d bytes at %d and %d at %d; give separate memory"
              .formatted(sent, send.address(), received, receive.address()));
    }
  }

  /**
   * Checks that what is read and what is written are different memory, or the very same.
   *
   * @return whether they are the same
   */
  public static boolean disjointOrSame(MemorySegment send, MemorySegment receive, long bytes) {
    boolean overlap = overlap(send, bytes, receive, bytes);
    if (overlap && send.address() != receive.address()) {
      throw new IllegalArgumentException(
          "send and receive overlap in part: %d bytes at %d and at %d; give the very same or separate memory"
              .formatted(bytes, send.address(), receive.address()));
    }
    return overlap;
  }

  private static boolean overlap(MemorySegment a, long aBytes, MemorySegment b, long bBytes) {
    return aBytes > 0
        && bBytes > 0
        && a.isNative() == b.isNative()
        && a.address() < b.address() + bBytes
        && b.address() < a.address() + aBytes
        && (a.isNative() || a.heapBase().equals(b.heapBase()));
  }

  /** Checks that the neighbours of a topology exist. */
  public static void edges(int[] sources, int[] targets, int size) {
    for (int source : sources) {
      rank(source, size, "source");
    }
    for (int target : targets) {
      rank(target, size, "target");
    }
  }

  /** Checks that there is one value per rank or neighbour. */
  public static void perRank(int given, int parties, String what) {
    if (given != parties) {
      throw new IllegalArgumentException(
          given + " " + what + " for " + parties + " parties; give one each");
    }
  }

  /** Checks that an operator applies to a type, and is not one of those only windows have. */
  public static void reduction(ReduceOp op, DType type) {
    if (op.equals(ReduceOp.REPLACE) || op.equals(ReduceOp.NO_OP)) {
      throw new IllegalArgumentException(op.label() + " is only for windows; reduce with another");
    }
    operator(op, type);
  }

  /** Checks that an operator applies to a type. */
  public static void operator(ReduceOp op, DType type) {
    if (!op.supports(type)) {
      throw new IllegalArgumentException(
          "%s does not apply to %s elements; choose %sa user-defined one"
              .formatted(
                  op.label(),
                  type,
                  type.hasReductions() ? "an operator for " + type.kind() + " or " : ""));
    }
  }

  /** Checks that each rank exists and none is listed twice. */
  public static void distinctRanks(int[] ranks, int size, String what) {
    BitSet seen = new BitSet(size);
    for (int rank : ranks) {
      rank(rank, size, what + " rank");
      if (seen.get(rank)) {
        throw new IllegalArgumentException(what + " lists rank " + rank + " twice");
      }
      seen.set(rank);
    }
  }

  private static String tooSmall(MemorySegment buffer, String role, long bytes, String what) {
    return "%s holds %s bytes, but %s need %s%s"
        .formatted(
            role,
            buffer.byteSize(),
            what,
            bytes,
            buffer.byteSize() == 0 && buffer.address() != 0
                ? "; memory of a device cannot be used here, copy it to the host first"
                : "");
  }
}
