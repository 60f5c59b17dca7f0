package dev.rialto.spi.data;

import java.lang.foreign.MemorySegment;

/**
 * An operator that combines elements of several ranks into one.
 *
 * <p>Operators are associative (up to rounding). Contributions are combined in rank order, so an
 * operator need not be commutative; how they are bracketed is the backend's choice, but the same
 * inputs on the same communicator give the same bits each time.
 */
public sealed interface ReduceOp {
  /** Addition; integers wrap around. */
  ReduceOp SUM = Builtin.SUM;

  /** Multiplication; integers wrap around. */
  ReduceOp PRODUCT = Builtin.PRODUCT;

  /** The smaller element; with a NaN, either one. Not for complex types. */
  ReduceOp MIN = Builtin.MIN;

  /** The larger element; with a NaN, either one. Not for complex types. */
  ReduceOp MAX = Builtin.MAX;

  /** 1 if both are non-zero, else 0. Integers only. */
  ReduceOp LOGICAL_AND = Builtin.LOGICAL_AND;

  /** 1 if either is non-zero, else 0. Integers only. */
  ReduceOp LOGICAL_OR = Builtin.LOGICAL_OR;

  /** 1 if exactly one is non-zero, else 0. Integers only. */
  ReduceOp LOGICAL_XOR = Builtin.LOGICAL_XOR;

  /** Bitwise and. Integers only. */
  ReduceOp BIT_AND = Builtin.BIT_AND;

  /** Bitwise or. Integers only. */
  ReduceOp BIT_OR = Builtin.BIT_OR;

  /** Bitwise exclusive or. Integers only. */
  ReduceOp BIT_XOR = Builtin.BIT_XOR;

  /** The origin's element replaces the target's. Only for windows. */
  ReduceOp REPLACE = Builtin.REPLACE;

  /** The target's element stays; fetches without changing. Only for windows. */
  ReduceOp NO_OP = Builtin.NO_OP;

  /** Returns a name for messages. */
  String label();

  /** Returns whether {@code a op b} equals {@code b op a}. */
  boolean commutative();

  /** Returns whether elements of {@code type} can be combined. */
  boolean supports(DType type);

  /**
   * Makes an operator from a function.
   *
   * @param label a name for messages
   * @param commutative whether the order of contributions does not matter
   * @param function combines two vectors; called from any thread, possibly from several at once,
   *     and must not call into a communicator. What it throws fails the reduction.
   */
  static ReduceOp user(String label, boolean commutative, Combiner function) {
    return new User(label, commutative, function);
  }

  /** Combines vectors of elements for a user's operator. */
  @FunctionalInterface
  interface Combiner {
    /**
     * Sets {@code right[i] = left[i] op right[i]} for each of {@code count} elements, {@code left}
     * coming from lower ranks. The segments do not overlap and are valid during the call only.
     */
    void combine(MemorySegment left, MemorySegment right, DType type, long count);
  }

  /** The operators every backend that reduces has. */
  enum Builtin implements ReduceOp {
    /** See {@link ReduceOp#SUM}. */
    SUM,
    /** See {@link ReduceOp#PRODUCT}. */
    PRODUCT,
    /** See {@link ReduceOp#MIN}. */
    MIN,
    /** See {@link ReduceOp#MAX}. */
    MAX,
    /** See {@link ReduceOp#LOGICAL_AND}. */
    LOGICAL_AND,
    /** See {@link ReduceOp#LOGICAL_OR}. */
    LOGICAL_OR,
    /** See {@link ReduceOp#LOGICAL_XOR}. */
    LOGICAL_XOR,
    /** See {@link ReduceOp#BIT_AND}. */
    BIT_AND,
    /** See {@link ReduceOp#BIT_OR}. */
    BIT_OR,
    /** See {@link ReduceOp#BIT_XOR}. */
    BIT_XOR,
    /** See {@link ReduceOp#REPLACE}. */
    REPLACE,
    /** See {@link ReduceOp#NO_OP}. */
    NO_OP;

    @Override
    public String label() {
      return name();
    }

    @Override
    public boolean commutative() {
      return this != REPLACE && this != NO_OP;
    }

    @Override
    public boolean supports(DType type) {
      return switch (this) {
        case REPLACE, NO_OP -> true;
        case SUM, PRODUCT -> type.hasReductions();
        case MIN, MAX -> type.hasReductions() && type.kind() != DType.Kind.COMPLEX;
        case LOGICAL_AND, LOGICAL_OR, LOGICAL_XOR, BIT_AND, BIT_OR, BIT_XOR ->
            type.hasReductions() && type.kind() == DType.Kind.INTEGER;
      };
    }
  }

  /**
   * A user's operator; made by {@link ReduceOp#user}.
   *
   * @param label a name for messages
   * @param commutative whether the order of contributions does not matter
   * @param function combines two vectors
   */
  record User(String label, boolean commutative, Combiner function) implements ReduceOp {
    @Override
    public boolean supports(DType type) {
      return true;
    }
  }
}
