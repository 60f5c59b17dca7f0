package dev.rialto.jit.lift;

import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.UnaryOp;
import dev.rialto.spi.code.Spelled;
import dev.rialto.spi.code.Type;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The methods of Java's numbers and of {@link Math} that are operators of the loops. */
final class MathCalls {
  interface Operation {
    Expr of(KernelCode code, Expr[] operands);
  }

  private static final Map<String, Operation> OPERATIONS = new HashMap<>();

  private MathCalls() {}

  static {
    for (String math : new String[] {"java/lang/Math.", "java/lang/StrictMath."}) {
      unary(math + "sqrt(D)D", UnaryOp.SQRT);
      unary(math + "abs(D)D", UnaryOp.ABS);
      unary(math + "abs(F)F", UnaryOp.ABS);
      unary(math + "floor(D)D", UnaryOp.FLOOR);
      unary(math + "ceil(D)D", UnaryOp.CEIL);
      unary(math + "rint(D)D", UnaryOp.RINT);
      for (String t : new String[] {"D", "F"}) {
        String two = "(" + t + t + ")" + t;
        OPERATIONS.put(math + "min" + two, (c, x) -> Spelled.min(c.once(x[0]), c.once(x[1])));
        OPERATIONS.put(math + "max" + two, (c, x) -> Spelled.max(c.once(x[0]), c.once(x[1])));
        OPERATIONS.put(
            math + "fma(" + t + t + t + ")" + t, (_, x) -> new Expr.Fma(x[0], x[1], x[2]));
      }
      // The methods themselves throw if the bounds are in the wrong order.
      for (String t : new String[] {"D", "F", "J"}) {
        OPERATIONS.put(math + "clamp(" + t + t + t + ")" + t, (c, x) -> clamp(c, x[0], x[1], x[2]));
      }
      OPERATIONS.put(
          math + "clamp(JII)I",
          (c, x) ->
              KernelCode.convert(
                  Type.I32, clamp(c, x[0], KernelCode.index(x[1]), KernelCode.index(x[2]))));
    }
    for (UnaryOp op : UnaryOp.values()) {
      if (op.isFunction()) {
        unary("java/lang/Math." + op.name().toLowerCase(Locale.ROOT) + "(D)D", op);
      }
    }
    for (BinaryOp op : BinaryOp.values()) {
      if (op.isFunction()) {
        String method = "java/lang/Math." + op.symbol() + "(DD)D";
        OPERATIONS.put(method, (_, x) -> KernelCode.binary(op, x[0], x[1]));
      }
    }
    unary("java/lang/Integer.bitCount(I)I", UnaryOp.BIT_COUNT);
    unary("java/lang/Integer.numberOfLeadingZeros(I)I", UnaryOp.LEADING_ZEROS);
    narrowed("java/lang/Long.bitCount(J)I", UnaryOp.BIT_COUNT);
    narrowed("java/lang/Long.numberOfLeadingZeros(J)I", UnaryOp.LEADING_ZEROS);
    bits("java/lang/Float.floatToRawIntBits(F)I", Type.I32);
    bits("java/lang/Float.intBitsToFloat(I)F", Type.F32);
    bits("java/lang/Double.doubleToRawLongBits(D)J", Type.I64);
    bits("java/lang/Double.longBitsToDouble(J)D", Type.F64);
  }

  private static Expr clamp(KernelCode code, Expr x, Expr low, Expr high) {
    Expr atLeast = code.once(Spelled.max(code.once(x), code.once(low)));
    return Spelled.min(code.once(high), atLeast);
  }

  private static void unary(String method, UnaryOp op) {
    OPERATIONS.put(method, (_, x) -> KernelCode.unary(op, x[0]));
  }

  private static void narrowed(String method, UnaryOp op) {
    OPERATIONS.put(method, (_, x) -> KernelCode.convert(Type.I32, KernelCode.unary(op, x[0])));
  }

  private static void bits(String method, Type type) {
    OPERATIONS.put(method, (_, x) -> KernelCode.simple(new Expr.Bits(type, x[0])));
  }

  /** Returns the operation of a method, or null if there is none. */
  static @Nullable Operation of(String method) {
    return OPERATIONS.get(method);
  }
}
