package dev.rialto.jit;

import dev.rialto.spi.data.DType;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;

/** What an assignment computes at one point of its space: a tree of operators. */
public sealed interface Scalar {
  /** Returns the type of the value. */
  DType type();

  /**
   * An element of a node.
   *
   * @param node which
   * @param index one per axis
   * @param merged whether the element is of the device's merge buffer instead
   */
  record Read(Node node, List<Affine> index, boolean merged) implements Scalar {
    /** Copies the index. */
    public Read {
      index = List.copyOf(index);
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
   * @param whole the value of an integer, all bits of it; 0 for other types
   */
  record Const(DType type, double value, long whole) implements Scalar {
    /** Rounds the value, and checks that an integer fits. */
    public Const {
      if (type.kind() == DType.Kind.INTEGER) {
        requireFits(type, whole);
        value = whole;
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
      this(type, value, type.kind() == DType.Kind.INTEGER ? whole(type, value) : 0);
    }

    /** Makes an integer of an integer type, or the number nearest to it. */
    public static Const of(DType type, long whole) {
      return new Const(type, whole, whole);
    }

    /**
     * Reads a constant.
     *
     * @throws IllegalArgumentException as the constructor does
     */
    static Const parse(DType type, String text) {
      double value = Double.parseDouble(text);
      if (type.kind() != DType.Kind.INTEGER || Math.abs(value) > 0x1p63) {
        return new Const(type, value);
      }
      try {
        return of(type, new BigDecimal(text).longValueExact());
      } catch (ArithmeticException e) {
        return of(type, whole(type, value));
      }
    }

    private static long whole(DType type, double value) {
      if (value != Math.rint(value)) {
        throw new IllegalArgumentException(
            value + " is no whole number, but meets values of type " + type + "; cast them");
      }
      double limit = 0x1p63;
      if (value >= limit || value < -limit) {
        throw unfit(type, Double.toString(value));
      }
      return (long) value;
    }

    private static void requireFits(DType type, long whole) {
      long limit = NumberFormats.greatest(type);
      if (whole > limit || whole < -limit - 1) {
        throw unfit(type, Long.toString(whole));
      }
    }

    private static IllegalArgumentException unfit(DType type, String shown) {
      return new IllegalArgumentException(
          shown + " does not fit type " + type + "; cast the values that it meets");
    }

    @Override
    public String toString() {
      if (type.kind() == DType.Kind.INTEGER) {
        return Long.toString(whole);
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
  record Position(DType type, Affine index) implements Scalar {
    @Override
    public String toString() {
      return "index(" + index + ")";
    }
  }

  /**
   * A pseudo-random number in [0, 1) that depends on nothing but the seed and the counter.
   *
   * @param type not of integers
   * @param seed the sequence
   * @param counter the place in it
   */
  record Random(DType type, long seed, Affine counter) implements Scalar {
    /** Checks the type. */
    public Random {
      if (type.kind() == DType.Kind.INTEGER) {
        throw new IllegalArgumentException(
            "random numbers are from 0 to 1, of which type "
                + type
                + " has none between; write cast("
                + type.name().toLowerCase(java.util.Locale.ROOT)
                + ", 100 * cast(f32, random("
                + seed
                + ")))");
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
   */
  record Apply(Op op, List<Scalar> operands) implements Scalar {
    /** Checks the operands. */
    public Apply {
      operands = List.copyOf(operands);
      if (operands.size() != op.arity()) {
        throw new IllegalArgumentException(
            op.word()
                + " takes "
                + op.arity()
                + " operands, but "
                + operands.size()
                + " were given");
      }
      for (Scalar operand : operands) {
        if (operand.type() != operands.get(0).type()) {
          throw new IllegalArgumentException(
              op.word()
                  + " is given "
                  + operands.get(0).type()
                  + " and "
                  + operand.type()
                  + ": "
                  + operands
                  + "; cast one of them");
        }
      }
    }

    @Override
    public DType type() {
      return operands.get(0).type();
    }

    @Override
    public String toString() {
      return op.word()
          + operands.stream().map(Object::toString).collect(Collectors.joining(", ", "(", ")"));
    }
  }

  /**
   * A value in another type, as Java casts: rounded to nearest, or towards zero to an integer,
   * where what is out of range becomes the least or greatest number and NaN becomes 0. An integer
   * that is too wide loses its upper bits; I8 is reached through I32, 16-bit formats through
   * binary32, real numbers from complex ones by their real part.
   *
   * @param type the result's
   * @param value the value
   */
  record Cast(DType type, Scalar value) implements Scalar {
    @Override
    public String toString() {
      return "cast(" + type + ", " + value + ")";
    }
  }

  /**
   * A value where an index is within bounds, another elsewhere: padding.
   *
   * @param index what is tested
   * @param size the index must be from 0 to {@code size - 1}
   * @param inside the value within
   * @param outside the value elsewhere
   */
  record Within(Affine index, long size, Scalar inside, Scalar outside) implements Scalar {
    @Override
    public DType type() {
      return inside.type();
    }

    @Override
    public String toString() {
      return "within(" + index + " < " + size + ", " + inside + ", " + outside + ")";
    }
  }

  /** Applies an operator. */
  static Scalar apply(Op op, Scalar... operands) {
    return new Apply(op, List.of(operands));
  }

  /** Returns the parts. */
  default List<Scalar> parts() {
    return switch (this) {
      case Apply apply -> apply.operands();
      case Cast cast -> List.of(cast.value());
      case Within within -> List.of(within.inside(), within.outside());
      case Read _, Const _, Position _, Random _ -> List.of();
    };
  }

  /** Returns this with each part replaced by what the function gives for it. */
  default Scalar map(Function<Scalar, Scalar> f) {
    return switch (this) {
      case Apply apply -> {
        List<Scalar> operands = new ArrayList<>();
        for (Scalar operand : apply.operands()) {
          operands.add(f.apply(operand));
        }
        yield new Apply(apply.op(), operands);
      }
      case Cast cast -> new Cast(cast.type(), f.apply(cast.value()));
      case Within w -> new Within(w.index(), w.size(), f.apply(w.inside()), f.apply(w.outside()));
      case Read _, Const _, Position _, Random _ -> this;
    };
  }

  /** Returns this with every index symbol replaced. */
  default Scalar replace(Function<Symbol, Affine> by) {
    return switch (this) {
      case Read r ->
          new Read(r.node(), r.index().stream().map(a -> a.replace(by)).toList(), r.merged());
      case Position p -> new Position(p.type(), p.index().replace(by));
      case Random r -> new Random(r.type(), r.seed(), r.counter().replace(by));
      case Within w ->
          new Within(
              w.index().replace(by), w.size(), w.inside().replace(by), w.outside().replace(by));
      case Const c -> c;
      case Apply _, Cast _ -> map(part -> part.replace(by));
    };
  }

  /** Returns all elements that are read. */
  default List<Read> reads() {
    List<Read> reads = new ArrayList<>();
    collect(reads);
    return reads;
  }

  private void collect(List<Read> reads) {
    if (this instanceof Read read) {
      reads.add(read);
    }
    for (Scalar part : parts()) {
      part.collect(reads);
    }
  }

  /** Returns the number of operators. */
  default int operators() {
    int count = this instanceof Apply ? 1 : 0;
    for (Scalar part : parts()) {
      count += part.operators();
    }
    return count;
  }
}
