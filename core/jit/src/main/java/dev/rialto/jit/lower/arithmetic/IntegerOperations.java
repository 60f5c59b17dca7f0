package dev.rialto.jit.lower.arithmetic;

import static dev.rialto.spi.code.Expr.BinaryOp.ADD;
import static dev.rialto.spi.code.Expr.BinaryOp.AND;
import static dev.rialto.spi.code.Expr.BinaryOp.DIV;
import static dev.rialto.spi.code.Expr.BinaryOp.EQ;
import static dev.rialto.spi.code.Expr.BinaryOp.LE;
import static dev.rialto.spi.code.Expr.BinaryOp.LT;
import static dev.rialto.spi.code.Expr.BinaryOp.MUL;
import static dev.rialto.spi.code.Expr.BinaryOp.OR;
import static dev.rialto.spi.code.Expr.BinaryOp.SHL;
import static dev.rialto.spi.code.Expr.BinaryOp.SHR;
import static dev.rialto.spi.code.Expr.BinaryOp.SUB;
import static dev.rialto.spi.code.Expr.BinaryOp.USHR;
import static dev.rialto.spi.code.Expr.BinaryOp.XOR;

import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.UnaryOp;
import dev.rialto.spi.code.Type.Kind;
import dev.rialto.spi.data.DType;

/**
 * Integers of all types in operations on signed ones of 32 and 64 bits, so that targets know no
 * others. Those of 8 and 16 bits are extended, with their sign or with zeros, and computed with as
 * signed ones; U32 and U64 are the bits of I32 and I64.
 *
 * @param e writes the operations
 */
public record IntegerOperations(Emitter e) {
  /** Whether numbers may have the sign bit of their register set without being negative. */
  private static boolean isFull(DType type) {
    return type == DType.U32 || type == DType.U64;
  }

  private Expr i(BinaryOp op, Expr x, long y) {
    return e.binary(op, x, Emitter.integer(x, y));
  }

  private static long sign(Expr x) {
    return x.type().kind() == Kind.I64 ? Long.MIN_VALUE : Integer.MIN_VALUE;
  }

  /** Keeps the low bits that a type has, extended as the type is. */
  Expr narrow(DType type, Expr x) {
    int above = Integer.SIZE - 8 * type.size();
    if (above <= 0) {
      return x;
    }
    return type.isUnsigned() ? i(AND, x, -1 >>> above) : i(SHR, i(SHL, x, above), above);
  }

  /** Makes an integer of a type one of another register; what is too wide loses its upper bits. */
  Expr widen(DType from, Kind to, Expr x) {
    Expr wide = e.convert(to, x);
    return from == DType.U32 && to == Kind.I64 ? i(AND, wide, 0xffffffffL) : wide;
  }

  /** Makes an integer an index; those beyond all indices become the greatest. */
  Expr index(DType type, Expr x) {
    Expr wide = widen(type, Kind.I64, x);
    return type == DType.U64
        ? e.select(i(LT, wide, 0), Emitter.integer(wide, Long.MAX_VALUE), wide)
        : wide;
  }

  /** Makes a floating-point number of an integer. */
  Expr real(DType from, Kind to, Expr x) {
    if (from != DType.U64) {
      return e.convert(to, from == DType.U32 ? widen(from, Kind.I64, x) : x);
    }
    // Half of it, whose last bit tells of all that was lost, is rounded as the whole would be.
    Expr half = e.binary(OR, i(USHR, x, 1), i(AND, x, 1));
    Expr twice = e.binary(MUL, e.convert(to, half), 2);
    return e.select(i(LT, x, 0), twice, e.convert(to, x));
  }

  /**
   * Makes an integer of a floating-point number: the whole part; the least or greatest number where
   * it is out of range, 0 for NaN. Those of 8 and 16 bits keep the low bits of an I32.
   */
  Expr of(DType type, Expr x) {
    return switch (type) {
      case I64 -> signed(Kind.I64, x);
      case U32 -> {
        Expr whole = signed(Kind.I64, e.select(e.binary(LE, x, 0), Emitter.constant(x, 0), x));
        Expr greatest = Emitter.integer(whole, 0xffffffffL);
        yield e.convert(Kind.I32, e.select(e.binary(LT, greatest, whole), greatest, whole));
      }
      case U64 -> {
        Expr low = signed(Kind.I64, e.select(e.binary(LE, x, 0), Emitter.constant(x, 0), x));
        Expr high = i(XOR, signed(Kind.I64, e.binary(SUB, x, 0x1p63)), Long.MIN_VALUE);
        Expr limited = e.select(e.binary(LT, x, 0x1p64), high, Emitter.integer(high, -1));
        yield e.select(e.binary(LE, Emitter.constant(x, 0x1p63), x), limited, low);
      }
      default -> signed(Kind.I32, x);
    };
  }

  private Expr signed(Kind kind, Expr x) {
    boolean wide = kind == Kind.I64;
    double limit = wide ? 0x1p63 : 0x1p31;
    Expr least = Emitter.constant(x, -limit);
    Expr above = e.binary(LE, Emitter.constant(x, limit), x);
    Expr below = e.binary(LT, x, least);
    Expr inside = e.binary(AND, e.binary(LE, least, x), e.binary(LT, x, limit));
    Expr whole = e.convert(kind, e.select(inside, x, Emitter.constant(x, 0)));
    Expr greatest = Emitter.integer(whole, wide ? Long.MAX_VALUE : Integer.MAX_VALUE);
    Expr smallest = Emitter.integer(whole, wide ? Long.MIN_VALUE : Integer.MIN_VALUE);
    return e.select(above, greatest, e.select(below, smallest, whole));
  }

  /** Compares numbers of any type but complex ones. */
  Expr compare(BinaryOp op, DType type, Expr x, Expr y) {
    return isFull(type) ? e.binary(op, i(XOR, x, sign(x)), i(XOR, y, sign(y))) : e.binary(op, x, y);
  }

  /** Moves bits to the right by a count of the register's, the sign filling in if there is one. */
  Expr right(DType type, Expr x, Expr count) {
    return e.binary(isFull(type) ? USHR : SHR, x, count);
  }

  /** Division that machines agree on: 0 by 0, and the negative by -1. */
  Expr divide(DType type, Expr x, Expr y) {
    if (type == DType.U32) {
      Expr wide = divide(DType.I64, widen(type, Kind.I64, x), widen(type, Kind.I64, y));
      return e.convert(Kind.I32, wide);
    }
    return type == DType.U64 ? unsigned(x, y) : signed(x, y);
  }

  private Expr signed(Expr x, Expr y) {
    Expr zero = i(EQ, y, 0);
    Expr minus = i(EQ, y, -1);
    Expr safe = e.select(e.binary(OR, zero, minus), Emitter.integer(y, 1), y);
    Expr quotient = e.select(minus, e.unary(UnaryOp.NEG, x), e.binary(DIV, x, safe));
    return e.select(zero, Emitter.integer(y, 0), quotient);
  }

  /** Divides half of the number, which has no sign bit, and finds the last bit by comparing. */
  private Expr unsigned(Expr x, Expr y) {
    Expr one = Emitter.integer(y, 1);
    Expr large = i(LT, y, 0);
    Expr safe = e.select(i(LE, y, 0), one, y);
    Expr even = i(SHL, e.binary(DIV, i(USHR, x, 1), safe), 1);
    Expr rest = e.sub(x, e.mul(even, safe));
    Expr odd = e.select(compare(LT, DType.U64, rest, safe), Emitter.integer(y, 0), one);
    Expr whole = e.select(compare(LT, DType.U64, x, y), Emitter.integer(y, 0), one);
    Expr quotient = e.select(large, whole, e.binary(ADD, even, odd));
    return e.select(i(EQ, y, 0), Emitter.integer(y, 0), quotient);
  }
}
