package dev.rialto.jit.lower.arithmetic;

import static dev.rialto.spi.code.Expr.BinaryOp.ADD;
import static dev.rialto.spi.code.Expr.BinaryOp.AND;
import static dev.rialto.spi.code.Expr.BinaryOp.LT;
import static dev.rialto.spi.code.Expr.BinaryOp.MUL;
import static dev.rialto.spi.code.Expr.BinaryOp.NE;
import static dev.rialto.spi.code.Expr.BinaryOp.OR;
import static dev.rialto.spi.code.Expr.BinaryOp.SHL;
import static dev.rialto.spi.code.Expr.BinaryOp.SUB;
import static dev.rialto.spi.code.Expr.BinaryOp.USHR;

import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Type.Kind;
import dev.rialto.spi.data.DType;

/** 16-bit floating-point numbers as integer operations on binary32, rounding to nearest even. */
final class HalfFormats {
  private final Emitter e;

  HalfFormats(Emitter e) {
    this.e = e;
  }

  private Expr i(Expr.BinaryOp op, Expr x, long y) {
    return e.binary(op, x, Emitter.integer(x, y));
  }

  /** Makes a binary32 of the 16 bits in an I32. */
  Expr widen(DType type, Expr bits) {
    if (type == DType.BF16) {
      return e.bits(Kind.F32, i(SHL, bits, 16));
    }
    // Exponent and fraction go to their places; a product corrects the bias, also of subnormals.
    Expr magnitude = i(SHL, i(AND, bits, 0x7fff), 13);
    Expr scaled = e.binary(MUL, e.bits(Kind.F32, magnitude), 0x1p112);
    Expr special = e.bits(Kind.F32, i(OR, magnitude, 0x7f800000));
    Expr isFinite = e.binary(LT, magnitude, Emitter.integer(magnitude, 0x0f800000));
    Expr value = e.bits(Kind.I32, e.select(isFinite, scaled, special));
    return e.bits(Kind.F32, e.binary(OR, value, i(SHL, i(AND, bits, 0x8000), 16)));
  }

  /** Makes the 16 bits, in an I32, that are nearest to a binary32. */
  Expr narrow(DType type, Expr x) {
    Expr bits = e.bits(Kind.I32, x);
    Expr isNaN = e.binary(NE, x, x);
    if (type == DType.BF16) {
      Expr odd = i(AND, i(USHR, bits, 16), 1);
      Expr rounded = i(USHR, e.binary(ADD, i(ADD, bits, 0x7fff), odd), 16);
      return e.select(isNaN, i(OR, i(USHR, bits, 16), 0x40), rounded);
    }
    Expr sign = i(AND, i(USHR, bits, 16), 0x8000);
    Expr magnitude = i(AND, bits, 0x7fffffff);
    Expr odd = i(AND, i(USHR, magnitude, 13), 1);
    Expr rebiased = i(SUB, magnitude, 0x38000000 - 0xfff);
    Expr normal = i(USHR, e.binary(ADD, rebiased, odd), 13);
    // Below 2^-14 adding one half lets the hardware round to a multiple of 2^-24.
    Expr sum = e.binary(ADD, e.bits(Kind.F32, magnitude), 0.5);
    Expr subnormal = i(SUB, e.bits(Kind.I32, sum), Float.floatToRawIntBits(0.5f));
    Expr isSmall = e.binary(LT, magnitude, Emitter.integer(magnitude, 0x38800000));
    Expr isLarge = e.binary(LT, Emitter.integer(magnitude, 0x477fefff), magnitude);
    Expr infinity = Emitter.integer(magnitude, 0x7c00);
    Expr limited = e.select(isLarge, infinity, e.select(isSmall, subnormal, normal));
    Expr value = e.select(isNaN, Emitter.integer(magnitude, 0x7e00), limited);
    return e.binary(OR, value, sign);
  }

  /** Rounds a binary32 to what the type can hold. */
  Expr round(DType type, Expr x) {
    return widen(type, narrow(type, x));
  }
}
