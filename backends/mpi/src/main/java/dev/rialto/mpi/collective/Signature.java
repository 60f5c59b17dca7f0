package dev.rialto.mpi.collective;

import dev.rialto.mpi.library.Native;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a collective that ranks must agree on, as two words that travel.
 *
 * @param call the operation, the type, the operator and the root
 * @param amount how many elements, or which window; 0 where ranks may differ; where what one rank
 *     sends must be what another expects, numbers whose sum over all ranks is 0 if that is so
 */
@SuppressWarnings("EnumOrdinal") // All ranks run the same classes.
public record Signature(long call, long amount) {
  static final int BYTES = 16;

  private static final int TYPE_SHIFT = 8;
  private static final int OPERATOR_SHIFT = 16;
  private static final int COUNTS_SHIFT = 24;
  private static final int BALANCED_SHIFT = 25;
  private static final int ROOT_SHIFT = 32;
  private static final int BYTE = 0xff;
  private static final int USERS = BYTE;

  public static Signature of(CollectiveKind collective, long amount) {
    return new Signature(collective.ordinal(), amount);
  }

  public static Signature of(CollectiveKind collective, DType type, long count) {
    return of(collective, type, count, -1);
  }

  public static Signature of(CollectiveKind collective, DType type, long count, int root) {
    return new Signature(
        collective.ordinal() | ((type.ordinal() + 1L) << TYPE_SHIFT) | ((root + 1L) << ROOT_SHIFT),
        count);
  }

  public static Signature of(
      CollectiveKind collective, DType type, long count, ReduceOp op, int root) {
    int operator = op instanceof ReduceOp.Builtin builtin ? builtin.ordinal() + 1 : USERS;
    Signature plain = of(collective, type, count, root);
    return new Signature(plain.call | ((long) operator << OPERATOR_SHIFT), count);
  }

  /** Returns one with counts for each rank, of which all must be the same on all ranks. */
  static Signature ofCounts(
      CollectiveKind collective, DType type, long[] counts, @Nullable ReduceOp op) {
    int hash = Arrays.hashCode(counts);
    Signature plain = op == null ? of(collective, type, hash) : of(collective, type, hash, op, -1);
    return new Signature(plain.call | (1L << COUNTS_SHIFT), hash);
  }

  /**
   * Returns one with as many elements for each rank as that rank expects.
   *
   * @param sent how many go to each rank
   * @param expected how many come from each rank
   */
  public static Signature balanced(
      CollectiveKind collective, @Nullable DType type, int rank, long[] sent, long[] expected) {
    long sum = 0;
    for (int other = 0; other < sent.length; other++) {
      sum += edge(rank, other, sent[other]) - edge(other, rank, expected[other]);
    }
    return balanced(type == null ? of(collective, 0) : of(collective, type, 0), sum);
  }

  /**
   * Returns one with a root that sends to, or expects from, each rank what that one expects or
   * sends.
   *
   * @param counts the root's counts for each rank; ignored elsewhere
   */
  public static Signature balancedWithRoot(
      CollectiveKind collective, DType type, int rank, long own, long[] counts, int root) {
    long sum = -edge(rank, root, own);
    if (rank == root) {
      for (int other = 0; other < counts.length; other++) {
        sum += edge(other, root, counts[other]);
      }
    }
    return balanced(of(collective, type, 0, root), sum);
  }

  private static Signature balanced(Signature plain, long amount) {
    return new Signature(plain.call | (1L << BALANCED_SHIFT), amount);
  }

  /** Returns a number that differs for different counts of an edge, whatever the other edges. */
  private static long edge(int from, int to, long count) {
    if (count == 0) {
      return 0;
    }
    long mixed = (((long) from << 32) | to) * 0x9e3779b97f4a7c15L + count * 0xd6e8feb86659fd93L;
    mixed = (mixed ^ (mixed >>> 32)) * 0xbf58476d1ce4e5b9L;
    return (mixed ^ (mixed >>> 29)) * 0x94d049bb133111ebL;
  }

  /** Returns whether the amounts of a call are to be summed, not to be equal. */
  static boolean isBalanced(long call) {
    return ((call >> BALANCED_SHIFT) & 1) != 0;
  }

  Signature withAmount(long other) {
    return new Signature(call, other);
  }

  static Signature at(long address) {
    return new Signature(Native.getLong(address), Native.getLong(address + Long.BYTES));
  }

  void write(long address) {
    Native.putLong(address, call);
    Native.putLong(address + Long.BYTES, amount);
  }

  /** Returns the root; -1 if it has none. */
  public int root() {
    return (int) (call >>> ROOT_SHIFT) - 1;
  }

  public CollectiveKind collective() {
    return CollectiveKind.values()[(int) call & BYTE];
  }

  @Override
  public String toString() {
    int type = (int) (call >> TYPE_SHIFT) & BYTE;
    int operator = (int) (call >> OPERATOR_SHIFT) & BYTE;
    boolean counts = ((call >> COUNTS_SHIFT) & 1) != 0;
    boolean balanced = isBalanced(call);
    StringBuilder text = new StringBuilder(collective().toString());
    if (type > 0) {
      DType its = DType.values()[type - 1];
      if (counts) {
        text.append(" of ").append(its).append(" with counts of checksum ").append(amount);
      } else {
        text.append(" of ").append(amount == 0 || balanced ? "" : amount + " ").append(its);
      }
    } else if (amount > 0 && !balanced) {
      text.append(' ').append(amount);
    }
    if (operator > 0) {
      text.append(" with ")
          .append(
              operator == USERS ? "a user's operator" : ReduceOp.Builtin.values()[operator - 1]);
    }
    return (root() < 0 ? text : text.append(", root ").append(root())).toString();
  }
}
