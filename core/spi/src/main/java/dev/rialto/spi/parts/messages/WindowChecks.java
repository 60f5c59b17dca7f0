package dev.rialto.spi.parts.messages;

import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;

/** The checks of accesses that windows of all kinds make, in the same words. */
public final class WindowChecks {
  private WindowChecks() {}

  /** Checks that an offset suits a type. */
  public static void aligned(DType type, long offset) {
    if ((offset & (type.alignment() - 1)) != 0) {
      throw new IllegalArgumentException(
          "offset %d is not a multiple of %d, the alignment of %s"
              .formatted(offset, type.alignment(), type));
    }
  }

  /** Checks a place in a target's memory of so many bytes. */
  public static void place(DType type, long length, int target, long offset, long bytes) {
    aligned(type, offset);
    if (offset < 0 || offset > bytes - length) {
      throw new IndexOutOfBoundsException(
          "%d bytes at offset %d exceed the window of rank %d, which has %d bytes"
              .formatted(length, offset, target, bytes));
    }
  }

  /** Checks that elements of a type can be compared and swapped. */
  public static void swappable(DType type) {
    if (type.kind() != DType.Kind.INTEGER || !type.hasReductions()) {
      throw new IllegalArgumentException(
          "compareAndSwap of " + type + "; give an integer type: I8, I32 or I64");
    }
  }

  /** Checks an operator for windows that have built-in ones only. */
  public static ReduceOp.Builtin builtin(ReduceOp op, DType type, String windows) {
    Arguments.operator(op, type);
    if (op instanceof ReduceOp.Builtin builtin) {
      return builtin;
    }
    throw new UnsupportedOperationException(
        windows + " combine with built-in operators only, not with " + op.label());
  }
}
