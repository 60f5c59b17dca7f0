package dev.rialto.jit.lower.arithmetic;

import static dev.rialto.spi.code.Expr.BinaryOp.AND;
import static dev.rialto.spi.code.Expr.BinaryOp.MUL;
import static dev.rialto.spi.code.Expr.BinaryOp.USHR;
import static dev.rialto.spi.code.Expr.BinaryOp.XOR;

import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Type.Kind;

/**
 * Random numbers in [0, 1) by counter, as {@link dev.rialto.jit.kernel.Philox} has them: integers
 * alone up to a fraction that is exact, so all targets give the same bits. Each 32-bit word is in a
 * 64-bit register, whose upper half is 0: vectors multiply those best.
 */
final class RandomNumbers {
  private static final long LOW = 0xFFFFFFFFL;
  private static final long FACTOR_1 = 0xD2511F53L;
  private static final long FACTOR_2 = 0xCD9E8D57L;
  private static final long STEP_1 = 0x9E3779B9L;
  private static final long STEP_2 = 0xBB67AE85L;
  private static final int ROUNDS = 10;

  private final Emitter e;

  RandomNumbers(Emitter e) {
    this.e = e;
  }

  /** A binary32 of {@code count} random bits. */
  Expr single(long seed, Expr counter, int count) {
    Expr top = shift(words(seed, counter)[0], 32 - count);
    return e.binary(MUL, number(Kind.F32, top), Math.scalb(1.0, -count));
  }

  /** A binary64 of 53 random bits. */
  Expr twice(long seed, Expr counter) {
    Expr[] words = words(seed, counter);
    Expr high = e.binary(MUL, number(Kind.F64, shift(words[0], 5)), 0x1p26);
    Expr low = number(Kind.F64, shift(words[1], 6));
    return e.binary(MUL, e.add(high, low), 0x1p-53);
  }

  /** At most 31 bits as a floating-point number. */
  private Expr number(Kind kind, Expr bits) {
    return e.convert(kind, e.convert(Kind.I32, bits));
  }

  private Expr shift(Expr x, int bits) {
    return e.binary(USHR, x, Emitter.integer(x, bits));
  }

  private Expr word(Expr x) {
    return e.binary(AND, x, Emitter.integer(x, LOW));
  }

  private Expr[] words(long seed, Expr counter) {
    Expr zero = Emitter.integer(counter, 0);
    Expr[] words = {word(counter), shift(counter, 32), zero, zero};
    long keyA = seed & LOW;
    long keyB = seed >>> 32;
    for (int round = 0; round < ROUNDS; round++) {
      Expr x = e.mul(words[0], Emitter.integer(counter, FACTOR_1));
      Expr y = e.mul(words[2], Emitter.integer(counter, FACTOR_2));
      words =
          new Expr[] {
            mixed(shift(y, 32), words[1], keyA),
            word(y),
            mixed(shift(x, 32), words[3], keyB),
            word(x)
          };
      keyA = keyA + STEP_1 & LOW;
      keyB = keyB + STEP_2 & LOW;
    }
    return words;
  }

  private Expr mixed(Expr x, Expr y, long key) {
    return e.binary(XOR, e.binary(XOR, x, y), Emitter.integer(x, key));
  }
}
