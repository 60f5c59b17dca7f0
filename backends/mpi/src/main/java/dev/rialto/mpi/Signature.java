package dev.rialto.mpi;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * What ranks must agree on in a collective, as two words that travel.
 *
 * @param call the operation, the type, the operator and the root
 * @param amount how many elements, or which window; 0 where ranks may differ
 */
@SuppressWarnings("EnumOrdinal") // All ranks run the same classes.
record Signature(long call, long amount) {
  /** The bytes that travel. */
  static final int BYTES = 16;

  private static final int TYPE_SHIFT = 8;
  private static final int OPERATOR_SHIFT = 16;
  private static final int COUNTS_SHIFT = 24;
  private static final int ROOT_SHIFT = 32;
  private static final int BYTE = 0xff;
  private static final int USERS = BYTE;

  static Signature of(Collective collective, long amount) {
    return new Signature(collective.ordinal(), amount);
  }

  static Signature of(Collective collective, DType type, long count) {
    return of(collective, type, count, -1);
  }

  static Signature of(Collective collective, DType type, long count, int root) {
    return new Signature(
        collective.ordinal() | ((type.ordinal() + 1L) << TYPE_SHIFT) | ((root + 1L) << ROOT_SHIFT),
        count);
  }

  static Signature of(Collective collective, DType type, long count, ReduceOp op, int root) {
    int operator = op instanceof ReduceOp.Builtin builtin ? builtin.ordinal() + 1 : USERS;
    Signature plain = of(collective, type, count, root);
    return new Signature(plain.call | ((long) operator << OPERATOR_SHIFT), count);
  }

  /** Returns one with counts for each rank, of which all must be the same on all ranks. */
  static Signature ofCounts(
      Collective collective, DType type, long[] counts, @Nullable ReduceOp op) {
    int hash = Arrays.hashCode(counts);
    Signature plain = op == null ? of(collective, type, hash) : of(collective, type, hash, op, -1);
    return new Signature(plain.call | (1L << COUNTS_SHIFT), hash);
  }

  /** Reads one. */
  static Signature at(long address) {
    return new Signature(Native.getLong(address), Native.getLong(address + Long.BYTES));
  }

  void write(long address) {
    Native.putLong(address, call);
    Native.putLong(address + Long.BYTES, amount);
  }

  /** Returns the root; -1 if it has none. */
  int root() {
    return (int) (call >>> ROOT_SHIFT) - 1;
  }

  Collective collective() {
    return Collective.values()[(int) call & BYTE];
  }

  @Override
  public String toString() {
    int type = (int) (call >> TYPE_SHIFT) & BYTE;
    int operator = (int) (call >> OPERATOR_SHIFT) & BYTE;
    boolean counts = ((call >> COUNTS_SHIFT) & 1) != 0;
    StringBuilder text = new StringBuilder(collective().toString());
    if (type > 0) {
      DType its = DType.values()[type - 1];
      if (counts) {
        text.append(" of ").append(its).append(" with counts of hash ").append(amount);
      } else {
        text.append(" of ").append(amount == 0 ? "" : amount + " ").append(its);
      }
    } else if (amount > 0) {
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
