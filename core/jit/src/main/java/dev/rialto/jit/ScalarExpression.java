package dev.rialto.jit;

import dev.rialto.spi.data.DType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The value that an assignment computes at one point: a tree of operators, of any depth. Walking it
 * takes a stack on the heap, not the thread's.
 */
public sealed interface ScalarExpression {
  /** Returns the type of the value. */
  DType type();

  /**
   * An element of a node.
   *
   * @param node which
   * @param index one per axis
   * @param merged whether the element is of the device's merge buffer instead
   */
  record Read(Node node, List<Affine> index, boolean merged) implements ScalarExpression {
    /** Copies the index. */
    public Read {
      index = List.copyOf(index);
    }

    /** Returns the element where every symbol is replaced. */
    Read moved(Function<Symbol, Affine> by) {
      return new Read(node, index.stream().map(a -> a.replace(by)).toList(), merged);
    }

    /** Returns this where some of its indices are inside of their axes, and 0 elsewhere. */
    public ScalarExpression orZero(Predicate<Affine> which) {
      ScalarExpression value = this;
      for (int axis = 0; axis < index.size(); axis++) {
        Affine at = index.get(axis);
        long extent = node.shape().extent(axis);
        if (which.test(at) && (at.min() < 0 || at.max() >= extent)) {
          value = new Within(at, extent, value, Const.of(type(), 0));
        }
      }
      return value;
    }

    /** Returns this, or 0 where an index that is read is outside of its axis. */
    public ScalarExpression orZero() {
      return orZero(Affine::isData);
    }

    @Override
    public DType type() {
      return node.type();
    }

    @Override
    public String toString() {
      return node + (merged ? ".merge" : "") + index;
    }
  }

  /**
   * A constant.
   *
   * @param type its type
   * @param value its value, rounded to that type
   * @param whole the value of an integer, all bits of it, those of a U64 too; 0 for other types
   */
  record Const(DType type, double value, long whole) implements ScalarExpression {
    /** Rounds the value, and checks that an integer fits. */
    public Const {
      if (type.kind() == DType.Kind.INTEGER) {
        NumberFormats.requireFits(type, whole, value);
        value = NumberFormats.real(type, whole);
      } else {
        whole = 0;
        value = NumberFormats.round(type, value);
      }
    }

    /**
     * Makes a constant.
     *
     * @throws IllegalArgumentException if the type is of integers and this is none, or out of range
     */
    public Const(DType type, double value) {
      this(type, value, type.kind() == DType.Kind.INTEGER ? NumberFormats.whole(type, value) : 0);
    }

    /** Makes an integer of an integer type, or the number nearest to it. */
    public static Const of(DType type, long whole) {
      return new Const(type, whole, whole);
    }

    static Const ofBits(DType type, long bits) {
      return new Const(type, NumberFormats.real(type, bits), bits);
    }

    /**
     * Reads a constant.
     *
     * @throws IllegalArgumentException as the constructor does
     */
    static Const parse(DType type, String text) {
      double value = Double.parseDouble(text);
      if (type.kind() != DType.Kind.INTEGER || Math.abs(value) > 0x1p65) {
        return new Const(type, value);
      }
      try {
        BigInteger whole = new BigDecimal(text).toBigIntegerExact();
        if (whole.bitLength() > (whole.signum() < 0 ? Long.SIZE - 1 : Long.SIZE)) {
          throw NumberFormats.unfit(type, text);
        }
        return new Const(type, whole.doubleValue(), whole.longValue());
      } catch (ArithmeticException e) {
        return new Const(type, value);
      }
    }

    @Override
    public String toString() {
      if (type.kind() == DType.Kind.INTEGER) {
        return type == DType.U64 ? Long.toUnsignedString(whole) : Long.toString(whole);
      }
      return value == Math.rint(value) && Math.abs(value) < 1e15
          ? Long.toString((long) value)
          : Double.toString(value);
    }
  }

  /**
   * An index as a number.
   *
   * @param type its type
   * @param index the index
   */
  record Position(DType type, Affine index) implements ScalarExpression {
    @Override
    public String toString() {
      return "index(" + index + ")";
    }
  }

  /**
   * A pseudo-random number in [0, 1) that depends on nothing but the seed and the counter, as
   * {@link dev.rialto.jit.kernel.Philox} makes it.
   *
   * @param type not of integers
   * @param seed the sequence
   * @param counter the place in it
   */
  record Random(DType type, long seed, Affine counter) implements ScalarExpression {
    /** Checks the type. */
    public Random {
      if (type.kind() == DType.Kind.INTEGER) {
        throw new IllegalArgumentException(
            ("random numbers are from 0 to 1, of which type %s has none between; write "
                    + "cast(%s, 100 * cast(f32, random(%s)))")
                .formatted(type, type.name().toLowerCase(java.util.Locale.ROOT), seed));
      }
    }

    @Override
    public String toString() {
      return "random(" + seed + ", " + counter + ")";
    }
  }

  /**
   * An operator.
   *
   * @param op which
   * @param operands as many as it takes, of one type
   * @param type that type
   */
  record Apply(Op op, List<ScalarExpression> operands, DType type) implements ScalarExpression {
    public Apply(Op op, List<ScalarExpression> operands) {
      this(op, operands, operands.getFirst().type());
    }

    /** Checks the operands. */
    public Apply {
      operands = List.copyOf(operands);
      if (operands.size() != op.arity()) {
        throw new IllegalArgumentException(
            "%s takes %s operands, but %s were given"
                .formatted(op.word(), op.arity(), operands.size()));
      }
      if (op.isOfIntegers() && type.kind() != DType.Kind.INTEGER) {
        throw new IllegalArgumentException(
            op.word() + " is of integers, but is given " + type + "; cast to i32 or i64");
      }
      for (ScalarExpression operand : operands) {
        if (operand.type() != type) {
          throw new IllegalArgumentException(
              "%s is given %s and %s: %s; cast one of them"
                  .formatted(op.word(), type, operand.type(), operands));
        }
      }
    }

    @Override
    public String toString() {
      return ScalarText.of(this);
    }
  }

  /**
   * A value in another type, as Java casts: rounded to nearest, or towards zero to an integer,
   * where what is out of range becomes the least or greatest number and NaN becomes 0. An integer
   * that is too wide loses its upper bits; integers of 8 and 16 bits are reached through I32,
   * 16-bit formats through binary32, real numbers from complex ones by their real part.
   *
   * @param type the result's
   * @param value the value
   */
  record Cast(DType type, ScalarExpression value) implements ScalarExpression {
    @Override
    public String toString() {
      return ScalarText.of(this);
    }
  }

  /**
   * A value where an index is within bounds, another elsewhere: padding.
   *
   * @param index what is tested
   * @param size the index must be from 0 to {@code size - 1}
   * @param inside the value within
   * @param outside the value elsewhere
   * @param type that of both
   */
  record Within(
      Affine index, long size, ScalarExpression inside, ScalarExpression outside, DType type)
      implements ScalarExpression {
    /** Chooses between two values. */
    public Within(Affine index, long size, ScalarExpression inside, ScalarExpression outside) {
      this(index, size, inside, outside, inside.type());
    }

    @Override
    public String toString() {
      return ScalarText.of(this);
    }
  }

  /** Applies an operator. */
  static ScalarExpression apply(Op op, ScalarExpression... operands) {
    return new Apply(op, List.of(operands));
  }

  /** Returns the parts. */
  default List<ScalarExpression> parts() {
    return switch (this) {
      case Apply apply -> apply.operands();
      case Cast cast -> List.of(cast.value());
      case Within within -> List.of(within.inside(), within.outside());
      case Read _, Const _, Position _, Random _ -> List.of();
    };
  }

  /** Returns this with other parts, or this if they are the same. */
  @SuppressWarnings("ReferenceEquality") // comparing values would walk through all of them
  default ScalarExpression with(List<ScalarExpression> parts) {
    List<ScalarExpression> before = parts();
    boolean same = true;
    for (int i = 0; i < before.size(); i++) {
      same &= before.get(i) == parts.get(i);
    }
    if (same) {
      return this;
    }
    return switch (this) {
      case Apply apply -> new Apply(apply.op(), parts);
      case Cast cast -> new Cast(cast.type(), parts.getFirst());
      case Within w -> new Within(w.index(), w.size(), parts.getFirst(), parts.getLast());
      case Read _, Const _, Position _, Random _ -> this;
    };
  }

  /** Calls {@code f} for this and all within it, in the order of writing. */
  default void walk(Consumer<ScalarExpression> f) {
    var _ =
        all(
            scalar -> {
              f.accept(scalar);
              return true;
            });
  }

  /** Computes a result from those of the parts, which come first. */
  default <T> T fold(BiFunction<ScalarExpression, List<T>, T> rule) {
    record Open<T>(ScalarExpression scalar, List<ScalarExpression> parts, List<T> results) {
      Open(ScalarExpression scalar) {
        this(scalar, scalar.parts(), new ArrayList<>());
      }
    }
    Deque<Open<T>> open = new ArrayDeque<>();
    open.push(new Open<>(this));
    while (true) {
      Open<T> top = open.getFirst();
      if (top.results.size() < top.parts.size()) {
        open.push(new Open<>(top.parts.get(top.results.size())));
        continue;
      }
      open.pop();
      T result = rule.apply(top.scalar, top.results);
      if (open.isEmpty()) {
        return result;
      }
      open.getFirst().results.add(result);
    }
  }

  /** Returns this rebuilt, parts first; what stays the same is shared. */
  default ScalarExpression rewrite(Function<ScalarExpression, ScalarExpression> rule) {
    return fold((scalar, parts) -> rule.apply(scalar.with(parts)));
  }

  /** Returns this with every index symbol replaced. */
  default ScalarExpression replace(Function<Symbol, Affine> by) {
    return rewrite(
        scalar ->
            switch (scalar) {
              case Read r -> r.moved(by);
              case Position p -> new Position(p.type(), p.index().replace(by));
              case Random r -> new Random(r.type(), r.seed(), r.counter().replace(by));
              case Within w -> new Within(w.index().replace(by), w.size(), w.inside(), w.outside());
              case Const _, Apply _, Cast _ -> scalar;
            });
  }

  /** Returns all elements that are read, those that indices are made of among them. */
  default List<Read> reads() {
    List<Read> reads = new ArrayList<>();
    walk(
        scalar -> {
          if (scalar instanceof Read read) {
            reads.add(read);
          }
          for (Affine place : scalar.places()) {
            reads.addAll(place.reads());
          }
        });
    return reads;
  }

  /** Returns the indices that stand in this itself, not in its parts. */
  default List<Affine> places() {
    return switch (this) {
      case Read read -> read.index();
      case Position position -> List.of(position.index());
      case Random random -> List.of(random.counter());
      case Within within -> List.of(within.index());
      case Const _, Apply _, Cast _ -> List.of();
    };
  }

  /** Calls {@code f} for all indices, those of what indices are made of among them. */
  default void indices(Consumer<Affine> f) {
    walk(
        scalar -> {
          for (Affine place : scalar.places()) {
            f.accept(place);
            place.reads().forEach(read -> read.index().forEach(f));
          }
        });
  }

  /** Returns whether a condition holds for this and all within it. */
  default boolean all(Predicate<ScalarExpression> condition) {
    Deque<ScalarExpression> open = new ArrayDeque<>();
    open.push(this);
    while (!open.isEmpty()) {
      ScalarExpression next = open.pop();
      if (!condition.test(next)) {
        return false;
      }
      List<ScalarExpression> parts = next.parts();
      for (int i = parts.size(); i-- > 0; ) {
        open.push(parts.get(i));
      }
    }
    return true;
  }

  /** Returns the number of operators. */
  default int operators() {
    int[] count = new int[1];
    walk(scalar -> count[0] += scalar instanceof Apply ? 1 : 0);
    return count[0];
  }
}
