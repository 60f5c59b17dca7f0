package dev.rialto.jit.lower.arithmetic;

import static dev.rialto.spi.code.Expr.BinaryOp.ADD;
import static dev.rialto.spi.code.Expr.BinaryOp.AND;
import static dev.rialto.spi.code.Expr.BinaryOp.LE;
import static dev.rialto.spi.code.Expr.BinaryOp.LT;
import static dev.rialto.spi.code.Expr.BinaryOp.MUL;
import static dev.rialto.spi.code.Expr.BinaryOp.OR;
import static dev.rialto.spi.code.Expr.BinaryOp.SHL;
import static dev.rialto.spi.code.Expr.BinaryOp.SHR;
import static dev.rialto.spi.code.Expr.BinaryOp.SUB;
import static dev.rialto.spi.code.Expr.BinaryOp.USHR;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.UnaryOp;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import dev.rialto.spi.code.Type.Kind;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;

/**
 * Large binary64 angles as a number of quarter turns and a rest, after Payne and Hanek: of 2/π only
 * the bits count that do not give whole turns with the angle's exponent. Angles that large are
 * rare, so this stands behind a condition, and lanes take turns.
 *
 * @param rest from -π/4 to π/4
 * @param quarters whole quarter turns, of which the last two bits count
 */
record AngleReduction(Expr rest, Expr quarters) {
  /** Up to here products of the quarters and the parts of π/2 are exact. */
  static final double LARGE = 0x1p17;

  private static final int WORDS = 39;
  private static final int WINDOW = 6;
  private static final long LOW = 0xffffffffL;

  /** 64 zeros and the bits of 2/π, 32 in each. */
  private static final long[] TWO_OVER_PI = twoOverPi();

  private static long[] twoOverPi() {
    int bits = 32 * (WORDS - 2);
    int more = bits + 64;
    // Machin's formula.
    BigInteger pi =
        inverseTangent(5, more).shiftLeft(4).subtract(inverseTangent(239, more).shiftLeft(2));
    BigInteger quotient = BigInteger.ONE.shiftLeft(more + 1 + bits).divide(pi);
    long[] words = new long[WORDS];
    for (int i = 2; i < WORDS; i++) {
      words[i] = quotient.shiftRight(bits - 32 * (i - 1)).longValue() & LOW;
    }
    return words;
  }

  /** The angle whose tangent is {@code 1/x}, times a power of two. */
  private static BigInteger inverseTangent(int x, int bits) {
    BigInteger term = BigInteger.ONE.shiftLeft(bits).divide(BigInteger.valueOf(x));
    BigInteger sum = BigInteger.ZERO;
    for (int i = 1; term.signum() != 0; i += 2) {
      BigInteger part = term.divide(BigInteger.valueOf(i));
      sum = i % 4 == 1 ? sum.add(part) : sum.subtract(part);
      term = term.divide(BigInteger.valueOf((long) x * x));
    }
    return sum;
  }

  /** Replaces what holds for small angles by what holds for large ones, where they are. */
  AngleReduction orOfLarge(Emitter e, Expr x) {
    int lanes = x.type().lanes();
    Var rest = e.names().fresh("rest", x.type());
    Var quarters = e.names().fresh("quarters", x.type().withKind(Kind.I64));
    e.add(new Stmt.Let(rest, this.rest));
    e.add(new Stmt.Let(quarters, this.quarters));
    Expr large = isLarge(e, x);
    Emitter inside = e.nested();
    Buffer table = local(inside, "two_over_pi", Buffer.Storage.I64, WORDS);
    for (int i = 0; i < WORDS; i++) {
      inside.add(new Stmt.Store(table, Expr.of(i), Expr.of(TWO_OVER_PI[i])));
    }
    if (lanes == 1) {
      AngleReduction reduced = of(inside, x, table);
      inside.add(new Stmt.Assign(rest, reduced.rest));
      inside.add(new Stmt.Assign(quarters, reduced.quarters));
    } else {
      byLanes(inside, x, rest, quarters, table);
    }
    e.add(new Stmt.If(new Expr.Any(large), inside.block()));
    return new AngleReduction(rest, quarters);
  }

  private static void byLanes(Emitter out, Expr x, Var rest, Var quarters, Buffer table) {
    int lanes = x.type().lanes();
    Buffer angles = local(out, "angles", Buffer.Storage.F64, lanes);
    Buffer rests = local(out, "rests", Buffer.Storage.F64, lanes);
    Buffer turns = local(out, "turns", Buffer.Storage.I64, lanes);
    out.add(new Stmt.Store(angles, Expr.of(0), x));
    out.add(new Stmt.Store(rests, Expr.of(0), rest));
    out.add(new Stmt.Store(turns, Expr.of(0), quarters));
    Var lane = out.names().fresh("lane", Type.I64);
    Emitter each = out.nested();
    Expr angle = each.let(new Expr.Load(angles, lane, 1));
    Expr large = isLarge(each, angle);
    Emitter inside = each.nested();
    AngleReduction reduced = of(inside, angle, table);
    inside.add(new Stmt.Store(rests, lane, reduced.rest));
    inside.add(new Stmt.Store(turns, lane, reduced.quarters));
    each.add(new Stmt.If(large, inside.block()));
    out.add(new Stmt.For(lane, Expr.of(0), Expr.of(lanes), 1, each.block()));
    out.add(new Stmt.Assign(rest, new Expr.Load(rests, Expr.of(0), lanes)));
    out.add(new Stmt.Assign(quarters, new Expr.Load(turns, Expr.of(0), lanes)));
  }

  private static Buffer local(Emitter out, String stem, Buffer.Storage storage, int elements) {
    Buffer buffer = new Buffer(out.names().fresh(stem, Type.I64).name(), storage, elements, true);
    out.add(new Stmt.Array(buffer));
    return buffer;
  }

  private static Expr isLarge(Emitter e, Expr x) {
    Expr magnitude = e.unary(UnaryOp.ABS, x);
    Expr infinity = Emitter.constant(x, Double.POSITIVE_INFINITY);
    return e.binary(
        AND,
        e.binary(LE, Emitter.constant(x, LARGE), magnitude),
        e.binary(LT, magnitude, infinity));
  }

  /** Reduces one large angle, {@code m · 2^(p - 62)} with a whole m of 53 bits. */
  private static AngleReduction of(Emitter e, Expr x, Buffer table) {
    Expr bits = e.bits(Kind.I64, x);
    Expr exponent = e.binary(AND, i(e, USHR, bits, 52), Expr.of(0x7ff));
    Expr m = i(e, OR, i(e, AND, bits, (1L << 52) - 1), 1L << 52);
    Expr p = i(e, SUB, exponent, 1013);
    Expr first = i(e, SHR, p, 5);
    Expr shift = i(e, AND, p, 31);
    List<Expr> window = new ArrayList<>();
    Expr word = e.let(new Expr.Load(table, first, 1));
    for (int k = 1; k <= WINDOW; k++) {
      Expr next = e.let(new Expr.Load(table, i(e, ADD, first, k), 1));
      Expr both = e.binary(OR, i(e, SHL, word, 32), next);
      window.addFirst(i(e, USHR, e.binary(SHL, both, shift), 32));
      word = next;
    }
    List<Expr> product = product(e, m, window);
    Expr r5 = product.get(5);
    Expr r3 = product.get(3);
    Expr high =
        e.binary(
            OR, e.binary(OR, i(e, SHL, r5, 34), i(e, SHL, product.get(4), 2)), i(e, USHR, r3, 30));
    Expr low = e.binary(OR, i(e, SHL, i(e, AND, r3, (1L << 30) - 1), 32), product.get(2));
    Expr turns = e.binary(ADD, i(e, USHR, r5, 30), i(e, USHR, high, 63));
    Expr fraction =
        e.add(
            e.add(
                scaled(e, i(e, SHR, high, 26), 0x1p-38),
                scaled(e, i(e, AND, high, (1L << 26) - 1), 0x1p-64)),
            scaled(e, i(e, USHR, low, 10), 0x1p-116));
    Expr rest =
        e.add(
            e.binary(MUL, fraction, 0x1.921fb54442d18p0),
            e.binary(MUL, fraction, 0x1.1a62633145c07p-54));
    Expr negative = e.binary(LT, x, Emitter.constant(x, 0));
    return new AngleReduction(
        e.select(negative, e.unary(UnaryOp.NEG, rest), rest),
        e.select(negative, e.unary(UnaryOp.NEG, turns), turns));
  }

  /** The low words of a product, the lowest first. */
  private static List<Expr> product(Emitter e, Expr m, List<Expr> words) {
    Expr low = i(e, AND, m, LOW);
    Expr high = i(e, USHR, m, 32);
    List<Expr> byLow = words.stream().map(word -> e.mul(low, word)).toList();
    List<Expr> byHigh = words.stream().map(word -> e.mul(high, word)).toList();
    List<Expr> result = new ArrayList<>();
    Expr carry = Expr.of(0);
    for (int c = 0; c < WINDOW; c++) {
      Expr sum = e.add(carry, i(e, AND, byLow.get(c), LOW));
      if (c > 0) {
        sum = e.add(sum, i(e, USHR, byLow.get(c - 1), 32));
        sum = e.add(sum, i(e, AND, byHigh.get(c - 1), LOW));
      }
      if (c > 1) {
        sum = e.add(sum, i(e, USHR, byHigh.get(c - 2), 32));
      }
      result.add(i(e, AND, sum, LOW));
      carry = i(e, USHR, sum, 32);
    }
    return result;
  }

  private static Expr scaled(Emitter e, Expr whole, double factor) {
    return e.binary(MUL, e.convert(Kind.F64, whole), factor);
  }

  private static Expr i(Emitter e, Expr.BinaryOp op, Expr x, long y) {
    return e.binary(op, x, Expr.of(y));
  }
}
