package dev.rialto.jit.lower.arithmetic;

import static dev.rialto.spi.code.Expr.BinaryOp.ADD;
import static dev.rialto.spi.code.Expr.BinaryOp.AND;
import static dev.rialto.spi.code.Expr.BinaryOp.DIV;
import static dev.rialto.spi.code.Expr.BinaryOp.EQ;
import static dev.rialto.spi.code.Expr.BinaryOp.LT;
import static dev.rialto.spi.code.Expr.BinaryOp.MUL;
import static dev.rialto.spi.code.Expr.BinaryOp.NE;
import static dev.rialto.spi.code.Expr.BinaryOp.SHL;
import static dev.rialto.spi.code.Expr.BinaryOp.SHR;
import static dev.rialto.spi.code.Expr.BinaryOp.SUB;

import dev.rialto.jit.loops.Simplify;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.UnaryOp;
import dev.rialto.spi.code.Type.Kind;

/**
 * Elementary functions written in the operators of the loops.
 *
 * <p>Libraries differ in the last bit and do not vectorise alike; these give the same bits on every
 * target and in every lane. The methods are the classic ones: reduce the argument with a constant
 * split in two or three parts, sum a short series, scale by exponent bits. Errors stay below 2
 * units in the last place of binary32; of binary64 below 4, and for powers below 4 and twice the
 * magnitude of the logarithm of the result.
 */
final class Elementary {
  private final Emitter e;

  Elementary(Emitter e) {
    this.e = e;
  }

  private static boolean isDouble(Expr x) {
    return x.type().kind() == Kind.F64;
  }

  /** Adding this leaves the whole part of a small number in the low bits. */
  private static double magic(Expr x) {
    return isDouble(x) ? 0x1.8p52 : 0x1.8p23;
  }

  private static Kind integers(Expr x) {
    return isDouble(x) ? Kind.I64 : Kind.I32;
  }

  private static int fraction(Expr x) {
    return isDouble(x) ? 52 : 23;
  }

  private Expr horner(Expr x, double... coefficients) {
    Expr sum = Emitter.constant(x, coefficients[coefficients.length - 1]);
    for (int i = coefficients.length - 2; i >= 0; i--) {
      sum = e.binary(ADD, e.mul(sum, x), coefficients[i]);
    }
    return sum;
  }

  /** 1, 1/1!, 1/2!, … with every {@code step}-th kept, signs alternating if asked. */
  private static double[] series(int first, int step, int count, boolean alternating) {
    double[] terms = new double[count];
    for (int i = 0; i < count; i++) {
      double factorial = 1;
      for (int k = 2; k <= first + i * step; k++) {
        factorial *= k;
      }
      terms[i] = (alternating && i % 2 == 1 ? -1 : 1) / factorial;
    }
    return terms;
  }

  Expr exp(Expr x) {
    boolean f64 = isDouble(x);
    double high = f64 ? 709.782712893384 : 88.7228391;
    double low = f64 ? -745.1332191019412 : -103.972084;
    Expr top = Emitter.constant(x, high);
    Expr bottom = Emitter.constant(x, low);
    Expr below = e.binary(LT, x, bottom);
    Expr above = e.binary(LT, top, x);
    Expr bounded = e.select(above, top, e.select(below, bottom, x));
    Expr shifted = e.binary(ADD, e.binary(MUL, bounded, 1.4426950408889634), magic(x));
    Expr n = e.binary(SUB, shifted, magic(x));
    double ln2High = f64 ? 0x1.62e42feep-1 : 0x1.62ep-1;
    double ln2Low = f64 ? 0x1.a39ef35793c76p-33 : 0x1.0bfbe8p-15;
    Expr r = e.sub(e.sub(bounded, e.binary(MUL, n, ln2High)), e.binary(MUL, n, ln2Low));
    Expr sum = horner(r, series(0, 1, f64 ? 14 : 8, false));
    // Two factors reach the smallest numbers, one would not.
    Expr whole = wholePart(shifted);
    Expr half = e.let(Simplify.rule(shift(SHR, whole, 1), false));
    Expr scaled = e.mul(e.mul(sum, powerOfTwo(x, half)), powerOfTwo(x, e.sub(whole, half)));
    Expr limited =
        e.select(
            above,
            Emitter.constant(x, Double.POSITIVE_INFINITY),
            e.select(below, Emitter.constant(x, 0), scaled));
    return e.select(e.binary(NE, x, x), x, limited);
  }

  private Expr shift(Expr.BinaryOp op, Expr x, int count) {
    return new Expr.Binary(op, x, Emitter.spread(Emitter.integer(x, count), x.type().lanes()));
  }

  private Expr wholePart(Expr shifted) {
    Expr bits = e.bits(integers(shifted), shifted);
    long base =
        isDouble(shifted)
            ? Double.doubleToRawLongBits(0x1.8p52)
            : Float.floatToRawIntBits(0x1.8p23f);
    return e.binary(SUB, bits, Emitter.integer(bits, base));
  }

  private Expr powerOfTwo(Expr like, Expr exponent) {
    Expr biased = e.binary(ADD, exponent, Emitter.integer(exponent, isDouble(like) ? 1023 : 127));
    return e.bits(like.type().kind(), e.let(shift(SHL, biased, fraction(like))));
  }

  Expr log(Expr x) {
    boolean f64 = isDouble(x);
    double least = f64 ? 0x1p-1022 : 0x1p-126;
    Expr tiny = e.binary(LT, x, least);
    double lift = f64 ? 0x1p54 : 0x1p25;
    Expr normal = e.select(tiny, e.binary(MUL, x, lift), x);
    Expr bits = e.bits(integers(x), normal);
    long root =
        f64 ? Double.doubleToRawLongBits(Math.sqrt(0.5)) : Float.floatToRawIntBits(0.70710677f);
    Expr offset = e.binary(SUB, bits, Emitter.integer(bits, root));
    Expr exponent = e.let(shift(SHR, offset, fraction(x)));
    Expr mantissa =
        e.binary(
            ADD,
            e.binary(AND, offset, Emitter.integer(bits, (1L << fraction(x)) - 1)),
            Emitter.integer(bits, root));
    Expr m = e.bits(x.type().kind(), mantissa);
    Expr f = e.binary(SUB, m, 1);
    Expr s = e.binary(DIV, f, e.binary(ADD, f, 2));
    Expr z = e.mul(s, s);
    double[] atanh = new double[f64 ? 12 : 6];
    for (int i = 0; i < atanh.length; i++) {
      atanh[i] = 2.0 / (2 * i + 1);
    }
    Expr n = e.convert(x.type().kind(), exponent);
    Expr power = e.binary(SUB, n, e.select(tiny, Emitter.constant(x, f64 ? 54 : 25), zero(x)));
    double ln2High = f64 ? 0x1.62e42feep-1 : 0x1.62ep-1;
    double ln2Low = f64 ? 0x1.a39ef35793c76p-33 : 0x1.0bfbe8p-15;
    Expr sum =
        e.add(
            e.binary(MUL, power, ln2High),
            e.add(e.mul(s, horner(z, atanh)), e.binary(MUL, power, ln2Low)));
    Expr infinity = Emitter.constant(x, Double.POSITIVE_INFINITY);
    Expr special =
        e.select(
            e.binary(EQ, x, zero(x)),
            Emitter.constant(x, Double.NEGATIVE_INFINITY),
            e.select(e.binary(LT, x, zero(x)), Emitter.constant(x, Double.NaN), sum));
    Expr endless = e.select(e.binary(EQ, x, infinity), x, special);
    return e.select(e.binary(NE, x, x), x, endless);
  }

  private static Expr zero(Expr like) {
    return Emitter.constant(like, 0);
  }

  /** The sine of {@code x + turns·π/2}; binary32 goes through binary64, which is exact enough. */
  Expr sine(Expr x, int turns) {
    if (!isDouble(x)) {
      return e.convert(x.type().kind(), sine(e.convert(Kind.F64, x), turns));
    }
    Expr shifted = e.binary(ADD, e.binary(MUL, x, 2 / Math.PI), magic(x));
    Expr n = e.binary(SUB, shifted, magic(x));
    Expr r = e.sub(x, e.binary(MUL, n, 0x1.921fb544p0));
    r = e.sub(r, e.binary(MUL, n, 0x1.0b4611a6p-34));
    r = e.sub(r, e.binary(MUL, n, 0x1.3198a2e037073p-69));
    AngleReduction reduced = new AngleReduction(r, wholePart(shifted)).orOfLarge(e, x);
    r = reduced.rest();
    Expr z = e.mul(r, r);
    Expr sin = e.mul(r, horner(z, series(1, 2, 9, true)));
    Expr cos = horner(z, series(0, 2, 9, true));
    Expr whole = reduced.quarters();
    Expr quarter = e.binary(ADD, whole, Emitter.integer(whole, turns));
    Expr zero = Emitter.integer(quarter, 0);
    Expr odd = e.binary(NE, e.binary(AND, quarter, Emitter.integer(quarter, 1)), zero);
    Expr upper = e.binary(NE, e.binary(AND, quarter, Emitter.integer(quarter, 2)), zero);
    Expr value = e.select(odd, cos, sin);
    return e.select(upper, e.unary(UnaryOp.NEG, value), value);
  }

  Expr tanh(Expr x) {
    Expr magnitude = e.unary(UnaryOp.ABS, x);
    Expr t = exp(e.binary(MUL, magnitude, -2));
    Expr one = Emitter.constant(x, 1);
    Expr positive = e.binary(DIV, e.sub(one, t), e.add(one, t));
    Expr large = e.select(e.binary(LT, x, 0), e.unary(UnaryOp.NEG, positive), positive);
    Expr z = e.mul(x, x);
    Expr small =
        e.mul(
            x,
            horner(
                z,
                1,
                -1.0 / 3,
                2.0 / 15,
                -17.0 / 315,
                62.0 / 2835,
                -1382.0 / 155925,
                21844.0 / 6081075,
                -929569.0 / 638512875));
    return e.select(e.binary(LT, magnitude, isDouble(x) ? 0.125 : 0.25), small, large);
  }

  Expr floor(Expr x) {
    Expr whole = e.binary(SUB, e.binary(ADD, x, magic(x)), magic(x));
    Expr down = e.select(e.binary(LT, x, whole), e.binary(SUB, whole, 1), whole);
    Expr small = e.binary(LT, e.unary(UnaryOp.ABS, x), isDouble(x) ? 0x1p51 : 0x1p22);
    // What is whole already keeps the sign of its zero.
    Expr changes = e.binary(AND, small, e.binary(NE, down, x));
    return e.select(changes, down, x);
  }

  /** A whole power by products. */
  Expr pow(Expr x, int exponent) {
    int n = Math.abs(exponent);
    Expr product = Emitter.constant(x, 1);
    for (Expr square = x; n > 0; n >>= 1) {
      if ((n & 1) == 1) {
        product = e.mul(product, square);
      }
      square = n > 1 ? e.mul(square, square) : square;
    }
    return exponent < 0 ? e.binary(DIV, Emitter.constant(x, 1), product) : product;
  }

  /**
   * Any power, through the logarithm of the magnitude; whole powers of negative bases have sign.
   */
  Expr pow(Expr x, Expr y) {
    if (!isDouble(x)) {
      Expr wide = pow(e.convert(Kind.F64, x), e.convert(Kind.F64, y));
      return e.convert(x.type().kind(), wide);
    }
    Expr power = exp(e.mul(y, log(e.unary(UnaryOp.ABS, x))));
    Expr whole = e.binary(EQ, floor(y), y);
    Expr half = e.binary(MUL, y, 0.5);
    Expr odd = e.binary(AND, whole, e.binary(NE, floor(half), half));
    Expr bits = e.bits(Kind.I64, x);
    Expr negative = e.binary(LT, bits, Emitter.integer(bits, 0));
    Expr signed = e.select(e.binary(AND, odd, negative), e.unary(UnaryOp.NEG, power), power);
    // A negative number has no power that is not whole; -0 and -∞ have.
    Expr none =
        e.binary(
            AND,
            e.binary(LT, x, zero(x)),
            e.binary(
                AND,
                e.unary(UnaryOp.NOT, whole),
                e.binary(LT, Emitter.constant(x, Double.NEGATIVE_INFINITY), x)));
    Expr defined = e.select(none, Emitter.constant(x, Double.NaN), signed);
    return e.select(e.binary(EQ, y, zero(y)), Emitter.constant(x, 1), defined);
  }
}
