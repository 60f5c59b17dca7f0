package dev.rialto.jit;

import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.kernel.Philox;
import dev.rialto.spi.data.DType;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Evaluates programs by plain loops over the assignments and Java's own arithmetic. It shares
 * nothing with lowering, passes or targets, so that all of them can be checked against it; of the
 * operators it leaves out those whose last bit is an approximation's.
 */
public final class ReferenceEvaluator {
  /** A number: an integer, or a real with an imaginary part. */
  private record Element(long whole, double re, double im) {
    static Element of(long whole) {
      return new Element(whole, 0, 0);
    }

    static Element of(double re) {
      return new Element(0, re, 0);
    }
  }

  private final Map<Node, Element[]> memory = new LinkedHashMap<>();
  private final long staticValue;
  private final Map<Iter, Long> point = new HashMap<>();

  private ReferenceEvaluator(long staticValue) {
    this.staticValue = staticValue;
  }

  /**
   * Runs a program.
   *
   * @param staticValue the value of all static indices
   * @return every node's elements, complex ones as pairs
   */
  public static Map<Node, double[]> run(
      Program program, Map<Node, double[]> inputs, long staticValue) {
    ReferenceEvaluator evaluator = new ReferenceEvaluator(staticValue);
    for (Node node : program.nodes()) {
      evaluator.memory.put(node, elements(node, inputs.get(node)));
    }
    program.assigns().forEach(evaluator::run);
    Map<Node, double[]> results = new LinkedHashMap<>();
    evaluator.memory.forEach((node, values) -> results.put(node, doubles(node, values)));
    return results;
  }

  private static Element[] elements(Node node, double[] values) {
    Element[] elements = new Element[Math.toIntExact(node.shape().count())];
    for (int i = 0; i < elements.length; i++) {
      elements[i] =
          values == null
              ? new Element(0, 0, 0)
              : switch (node.type().kind()) {
                case INTEGER -> cast(node.type(), DType.F64, Element.of(values[i]));
                case FLOAT -> Element.of(round(node.type(), values[i]));
                case COMPLEX ->
                    new Element(
                        0,
                        round(node.type(), values[2 * i]),
                        round(node.type(), values[2 * i + 1]));
              };
    }
    return elements;
  }

  private static double[] doubles(Node node, Element[] values) {
    boolean complex = node.type().kind() == DType.Kind.COMPLEX;
    double[] doubles = new double[values.length * (complex ? 2 : 1)];
    for (int i = 0; i < values.length; i++) {
      switch (node.type().kind()) {
        case INTEGER -> doubles[i] = number(node.type(), values[i]).doubleValue();
        case FLOAT -> doubles[i] = values[i].re();
        case COMPLEX -> {
          doubles[2 * i] = values[i].re();
          doubles[2 * i + 1] = values[i].im();
        }
      }
    }
    return doubles;
  }

  // --- Assignments ------------------------------------------------------------------------------

  private void run(Assign a) {
    Element[] target = memory.get(a.target());
    DType type = a.target().type();
    boolean readsItself = a.body().reads().stream().anyMatch(read -> read.node() == a.target());
    if (a.fresh() && !readsItself) {
      java.util.Arrays.fill(target, neutral(a.accum(), type));
    }
    loop(a, 0, target, a.fresh() && readsItself);
    // 16-bit formats were combined in binary32.
    for (int i = 0; i < target.length; i++) {
      target[i] = rounded(type, target[i]);
    }
  }

  private void loop(Assign a, int depth, Element[] target, boolean alwaysNeutral) {
    if (depth < a.loops().size()) {
      Iter iter = a.loops().get(depth);
      long end = iter.end() == null ? iter.size() : Math.min(iter.size(), index(iter.end()));
      for (long i = 0; i < end; i++) {
        point.put(iter, i);
        loop(a, depth + 1, target, alwaysNeutral);
      }
      return;
    }
    DType type = a.target().type();
    int at = offset(a.target(), a.index());
    if (at < 0) {
      return;
    }
    Element value = value(a.body());
    if (a.accum() != Accum.SET) {
      Element old = alwaysNeutral ? neutral(a.accum(), type) : target[at];
      DType wide = type == DType.F16 || type == DType.BF16 ? DType.F32 : type;
      value =
          apply(
              switch (a.accum()) {
                case SUM -> Op.ADD;
                case PRODUCT -> Op.MUL;
                case MAX -> Op.MAX;
                default -> Op.MIN;
              },
              wide,
              List.of(old, value));
    }
    boolean readsItself = a.body().reads().stream().anyMatch(read -> read.node() == a.target());
    target[at] = readsItself ? rounded(type, value) : value;
  }

  private static Element neutral(Accum accum, DType type) {
    boolean integer = type.kind() == DType.Kind.INTEGER;
    long greatest = -1L >>> (64 - 8 * type.size() + (type.isUnsigned() ? 0 : 1));
    long least = type.isUnsigned() ? 0 : -greatest - 1;
    return switch (accum) {
      case SET, SUM -> Element.of(0L);
      case PRODUCT -> integer ? Element.of(1L) : Element.of(1.0);
      case MAX -> integer ? Element.of(least) : Element.of(Double.NEGATIVE_INFINITY);
      case MIN -> integer ? Element.of(greatest) : Element.of(Double.POSITIVE_INFINITY);
    };
  }

  /** An integer's value, whose bits a U64 is kept as. */
  private static BigInteger number(DType type, Element n) {
    return type == DType.U64
        ? new BigInteger(Long.toUnsignedString(n.whole()))
        : BigInteger.valueOf(n.whole());
  }

  private long index(ScalarExpression.Read read) {
    return number(read.type(), value(read)).min(BigInteger.valueOf(Long.MAX_VALUE)).longValue();
  }

  private long index(Affine affine) {
    long sum = affine.offset();
    for (var term : affine.terms().entrySet()) {
      long value =
          switch (term.getKey()) {
            case Iter iter -> point.get(iter);
            case Symbol.StaticIndex _ -> staticValue;
            case Symbol.Element(ScalarExpression.Read read) -> index(read);
          };
      sum += value * term.getValue();
    }
    return sum;
  }

  /** The number of an element, or -1 if there is none because data says so. */
  private int offset(Node node, List<Affine> index) {
    long offset = 0;
    for (int axis = 0; axis < index.size(); axis++) {
      long at = index(index.get(axis));
      if (index.get(axis).isData() && (at < 0 || at >= node.shape().extent(axis))) {
        return -1;
      }
      offset = offset * node.shape().extent(axis) + at;
    }
    return Math.toIntExact(offset);
  }

  // --- Values -----------------------------------------------------------------------------------

  private Element value(ScalarExpression scalar) {
    return switch (scalar) {
      case ScalarExpression.Read read -> {
        int at = offset(read.node(), read.index());
        yield at < 0 ? new Element(0, 0, 0) : memory.get(read.node())[at];
      }
      case ScalarExpression.Const c -> new Element(c.whole(), round(c.type(), c.value()), 0);
      case ScalarExpression.Position p -> cast(p.type(), DType.I64, Element.of(index(p.index())));
      case ScalarExpression.Random r -> Element.of(random(r.type(), r.seed(), index(r.counter())));
      case ScalarExpression.Cast cast ->
          cast(cast.type(), cast.value().type(), value(cast.value()));
      case ScalarExpression.Within within -> {
        long at = index(within.index());
        yield value(at >= 0 && at < within.size() ? within.inside() : within.outside());
      }
      case ScalarExpression.Apply apply -> {
        DType type = apply.type();
        if (apply.op() == Op.POW) {
          long exponent = (long) ((ScalarExpression.Const) apply.operands().get(1)).value();
          yield rounded(type, power(type, value(apply.operands().get(0)), exponent));
        }
        List<Element> operands = new ArrayList<>();
        for (ScalarExpression operand : apply.operands()) {
          operands.add(value(operand));
        }
        yield rounded(type, apply(apply.op(), type, operands));
      }
    };
  }

  private static double round(DType type, double value) {
    return switch (type) {
      case F16 -> Float.float16ToFloat(Float.floatToFloat16((float) value));
      case BF16 -> bfloat16((float) value);
      case F32, C64 -> (float) value;
      default -> value;
    };
  }

  /** The nearer of the two neighbours that have 16 bits, or the one whose last bit is 0. */
  private static float bfloat16(float value) {
    int below = Float.floatToRawIntBits(value) & 0xffff0000;
    if (Float.isNaN(value) || Float.isInfinite(value)) {
      return value;
    }
    float low = Float.intBitsToFloat(below);
    int next = below + 0x10000;
    int rest = Float.floatToRawIntBits(value) & 0xffff;
    boolean up = rest > 0x8000 || (rest == 0x8000 && (below & 0x10000) != 0);
    return up ? Float.intBitsToFloat(next) : low;
  }

  private static Element rounded(DType type, Element n) {
    return switch (type) {
      case I8 -> Element.of((long) (byte) n.whole());
      case I16 -> Element.of((long) (short) n.whole());
      case I32 -> Element.of((long) (int) n.whole());
      case U8 -> Element.of(n.whole() & 0xff);
      case U16 -> Element.of((long) (char) n.whole());
      case U32 -> Element.of(n.whole() & 0xffffffffL);
      case I64, U64 -> n;
      case F16, BF16, F32, F64 -> Element.of(round(type, n.re()));
      case C64, C128 -> new Element(0, round(type, n.re()), round(type, n.im()));
    };
  }

  private static Element cast(DType to, DType from, Element n) {
    boolean whole = from.kind() == DType.Kind.INTEGER;
    return switch (to) {
      case I8, I16, I32, U8, U16 -> rounded(to, Element.of(whole ? n.whole() : (int) n.re()));
      case I64 -> Element.of(whole ? n.whole() : (long) n.re());
      case U32, U64 -> rounded(to, Element.of(whole ? n.whole() : unsigned(to, n.re())));
      case F32, F16, BF16 ->
          Element.of(round(to, whole ? number(from, n).floatValue() : (float) n.re()));
      case F64 -> Element.of(whole ? number(from, n).doubleValue() : n.re());
      case C64 ->
          new Element(0, whole ? number(from, n).floatValue() : (float) n.re(), (float) n.im());
      case C128 -> new Element(0, whole ? number(from, n).doubleValue() : n.re(), n.im());
    };
  }

  private static long unsigned(DType to, double value) {
    BigInteger end = BigInteger.ONE.shiftLeft(8 * to.size());
    return Double.isNaN(value) || value <= 0
        ? 0
        : value >= end.doubleValue() ? -1 : new BigDecimal(value).toBigInteger().longValue();
  }

  private static double random(DType type, long seed, long counter) {
    Philox words = Philox.of(seed, counter, 0);
    return switch (type) {
      case BF16 -> (words.first() >>> 24) * 0x1p-8;
      case F16 -> (words.first() >>> 21) * 0x1p-11;
      case F32, C64 -> Philox.uniformFloat(seed, counter);
      default -> Philox.uniformDouble(seed, counter);
    };
  }

  // --- Operators --------------------------------------------------------------------------------

  /** Squares and multiplies, from the lowest bit of the exponent. */
  private static Element power(DType type, Element x, long exponent) {
    DType wide = type == DType.F16 || type == DType.BF16 ? DType.F32 : type;
    boolean whole = type.kind() == DType.Kind.INTEGER;
    Element one = whole ? Element.of(1L) : Element.of(1.0);
    Element product = one;
    Element square = x;
    for (long n = Math.abs(exponent); n > 0; n >>= 1) {
      if ((n & 1) == 1) {
        product = apply(Op.MUL, wide, List.of(product, square));
      }
      square = apply(Op.MUL, wide, List.of(square, square));
    }
    return exponent < 0 ? apply(Op.DIV, wide, List.of(one, product)) : product;
  }

  private static Element apply(Op op, DType type, List<Element> operands) {
    Element x = operands.get(0);
    Element y = operands.size() > 1 ? operands.get(1) : x;
    Element z = operands.size() > 2 ? operands.get(2) : x;
    return switch (type) {
      case I8, I16, I32, I64, U8, U16 ->
          Element.of(whole(op, type, x.whole(), y.whole(), z.whole()));
      case U32, U64 -> rounded(type, Element.of(unsigned(op, type, x, y, z)));
      case F16, BF16, F32 -> Element.of(single(op, (float) x.re(), (float) y.re(), (float) z.re()));
      case F64 -> Element.of(real(op, x.re(), y.re(), z.re()));
      case C64, C128 -> complex(op, type, x, y, z);
    };
  }

  /** The operators whose results differ from those of signed integers of as many bits. */
  private static long unsigned(Op op, DType type, Element x, Element y, Element z) {
    BigInteger a = number(type, x);
    BigInteger b = number(type, y);
    boolean zero = b.signum() == 0;
    int shift = (int) y.whole() & 8 * type.size() - 1;
    return switch (op) {
      case ABS, RELU -> a.longValue();
      case RECIP -> a.equals(BigInteger.ONE) ? 1 : 0;
      case DIV -> zero ? 0 : a.divide(b).longValue();
      case REM -> zero ? a.longValue() : a.remainder(b).longValue();
      case MAX -> a.max(b).longValue();
      case MIN -> a.min(b).longValue();
      case RELU_GATE -> a.signum() > 0 ? b.longValue() : 0;
      case LT -> a.compareTo(b) < 0 ? 1 : 0;
      case LE -> a.compareTo(b) <= 0 ? 1 : 0;
      case GT -> a.compareTo(b) > 0 ? 1 : 0;
      case GE -> a.compareTo(b) >= 0 ? 1 : 0;
      case SHL -> a.shiftLeft(shift).longValue();
      case SHR, USHR -> a.shiftRight(shift).longValue();
      default -> whole(op, DType.I64, x.whole(), y.whole(), z.whole());
    };
  }

  private static long whole(Op op, DType type, long x, long y, long z) {
    long result =
        switch (op) {
          case NEG -> -x;
          case ABS -> Math.abs(x);
          case FLOOR, CONJ -> x;
          case RELU -> Math.max(x, 0);
          case RECIP -> x == 0 ? 0 : 1 / x;
          case ADD -> x + y;
          case SUB -> x - y;
          case MUL -> x * y;
          case DIV -> y == 0 ? 0 : x / y;
          case MAX -> Math.max(x, y);
          case MIN -> Math.min(x, y);
          case RELU_GATE -> x > 0 ? y : 0;
          case REM -> y == 0 ? x : x % y;
          case LT -> x < y ? 1 : 0;
          case LE -> x <= y ? 1 : 0;
          case GT -> x > y ? 1 : 0;
          case GE -> x >= y ? 1 : 0;
          case EQ -> x == y ? 1 : 0;
          case NE -> x != y ? 1 : 0;
          case NOT -> x == 0 ? 1 : 0;
          case AND -> x != 0 && y != 0 ? 1 : 0;
          case OR -> x != 0 || y != 0 ? 1 : 0;
          case XOR -> x != 0 ^ y != 0 ? 1 : 0;
          case BIT_NOT -> ~x;
          case BIT_AND -> x & y;
          case BIT_OR -> x | y;
          case BIT_XOR -> x ^ y;
          case SHL -> type == DType.I64 ? x << y : (int) x << (int) y;
          case SHR -> type == DType.I64 ? x >> y : (int) x >> (int) y;
          case USHR -> type == DType.I64 ? x >>> y : (int) x >>> (int) y;
          case WHERE -> x != 0 ? y : z;
          case FMA -> x * y + z;
          default -> throw new AssertionError(op + " of " + type);
        };
    return type == DType.I64 ? result : (int) result;
  }

  private static float single(Op op, float x, float y, float z) {
    return switch (op) {
      case NEG -> -x;
      case ABS -> Math.abs(x);
      case SQRT -> (float) Math.sqrt(x);
      case FLOOR -> (float) Math.floor(x);
      case RELU -> x > 0 ? x : 0;
      case RECIP -> 1 / x;
      case CONJ -> x;
      case ADD -> x + y;
      case SUB -> x - y;
      case MUL -> x * y;
      case DIV -> x / y;
      case MAX -> Math.max(x, y);
      case MIN -> Math.min(x, y);
      case RELU_GATE -> x > 0 ? y : 0;
      case REM -> x % y;
      case LT -> x < y ? 1 : 0;
      case LE -> x <= y ? 1 : 0;
      case GT -> x > y ? 1 : 0;
      case GE -> x >= y ? 1 : 0;
      case EQ -> x == y ? 1 : 0;
      case NE -> x != y ? 1 : 0;
      case NOT -> x == 0 ? 1 : 0;
      case AND -> x != 0 && y != 0 ? 1 : 0;
      case OR -> x != 0 || y != 0 ? 1 : 0;
      case XOR -> x != 0 ^ y != 0 ? 1 : 0;
      case WHERE -> x != 0 ? y : z;
      case FMA -> x * y + z;
      default -> throw new AssertionError(op);
    };
  }

  private static double real(Op op, double x, double y, double z) {
    return switch (op) {
      case NEG -> -x;
      case ABS -> Math.abs(x);
      case SQRT -> Math.sqrt(x);
      case FLOOR -> Math.floor(x);
      case RELU -> x > 0 ? x : 0;
      case RECIP -> 1 / x;
      case CONJ -> x;
      case ADD -> x + y;
      case SUB -> x - y;
      case MUL -> x * y;
      case DIV -> x / y;
      case MAX -> Math.max(x, y);
      case MIN -> Math.min(x, y);
      case RELU_GATE -> x > 0 ? y : 0;
      case REM -> x % y;
      case LT -> x < y ? 1 : 0;
      case LE -> x <= y ? 1 : 0;
      case GT -> x > y ? 1 : 0;
      case GE -> x >= y ? 1 : 0;
      case EQ -> x == y ? 1 : 0;
      case NE -> x != y ? 1 : 0;
      case NOT -> x == 0 ? 1 : 0;
      case AND -> x != 0 && y != 0 ? 1 : 0;
      case OR -> x != 0 || y != 0 ? 1 : 0;
      case XOR -> x != 0 ^ y != 0 ? 1 : 0;
      case WHERE -> x != 0 ? y : z;
      case FMA -> x * y + z;
      default -> throw new AssertionError(op);
    };
  }

  /** Complex arithmetic by the formulas of school, each step rounded. */
  private static Element complex(Op op, DType type, Element x, Element y, Element z) {
    double a = x.re();
    double b = x.im();
    double c = y.re();
    double d = y.im();
    return switch (op) {
      case NEG -> new Element(0, -a, -b);
      case CONJ -> new Element(0, a, -b);
      case ADD -> new Element(0, r(type, a + c), r(type, b + d));
      case SUB -> new Element(0, r(type, a - c), r(type, b - d));
      case MUL ->
          new Element(
              0,
              r(type, r(type, a * c) - r(type, b * d)),
              r(type, r(type, a * d) + r(type, b * c)));
      case DIV -> {
        double norm = r(type, r(type, c * c) + r(type, d * d));
        yield new Element(
            0,
            r(type, r(type, r(type, a * c) + r(type, b * d)) / norm),
            r(type, r(type, r(type, b * c) - r(type, a * d)) / norm));
      }
      case RECIP -> {
        double norm = r(type, r(type, a * a) + r(type, b * b));
        yield new Element(0, r(type, a / norm), r(type, -b / norm));
      }
      case ABS -> new Element(0, r(type, Math.sqrt(r(type, r(type, a * a) + r(type, b * b)))), 0);
      case FMA -> {
        Element product = complex(Op.MUL, type, x, y, z);
        yield complex(Op.ADD, type, product, z, z);
      }
      default -> throw new AssertionError(op);
    };
  }

  /** Sums, products, quotients and roots of binary32 numbers are right if rounded twice. */
  private static double r(DType type, double value) {
    return type == DType.C64 ? (float) value : value;
  }
}
