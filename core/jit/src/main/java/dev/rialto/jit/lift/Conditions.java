package dev.rialto.jit.lift;

import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Type;
import java.lang.classfile.Opcode;
import java.util.function.Function;
import java.util.function.Supplier;

/** The conditions of branches, those on NaN as Java has them. */
public final class Conditions {
  private Conditions() {}

  static Expr of(Opcode opcode, Frame frame, Supplier<Value> pop, Function<Value, Expr> number) {
    return switch (opcode) {
      case IFNULL, IFNONNULL -> {
        boolean isNull = pop.get() instanceof Value.Null;
        yield new Const(Type.BOOL, isNull == (opcode == Opcode.IFNULL) ? 1 : 0);
      }
      case IF_ACMPEQ, IF_ACMPNE -> {
        Expr same = same(frame, pop.get(), pop.get());
        yield opcode == Opcode.IF_ACMPEQ ? same : KernelCode.not(same);
      }
      case IF_ICMPEQ, IF_ICMPNE, IF_ICMPLT, IF_ICMPGE, IF_ICMPGT, IF_ICMPLE -> {
        Expr y = number.apply(pop.get());
        Expr x = number.apply(pop.get());
        yield compare(opcode, x, y, 0);
      }
      default -> withZero(opcode, pop.get(), number);
    };
  }

  private static Expr withZero(Opcode opcode, Value value, Function<Value, Expr> number) {
    if (value instanceof Value.Compared(Expr x, Expr y, int nan)) {
      return compare(opcode, x, y, nan);
    }
    Expr x = number.apply(value);
    return switch (opcode) {
      case IFNE -> KernelCode.isSet(x);
      case IFEQ -> KernelCode.not(KernelCode.isSet(x));
      default -> compare(opcode, x, KernelCode.constant(Type.I32, 0), 0);
    };
  }

  @SuppressWarnings("ReferenceEquality") // as the method compares them
  private static Expr same(Frame frame, Value x, Value y) {
    if (x instanceof Value.Constant(Object a) && y instanceof Value.Constant(Object b)) {
      return new Const(Type.BOOL, a == b ? 1 : 0);
    }
    if (x instanceof Value.Null || y instanceof Value.Null) {
      return new Const(Type.BOOL, x instanceof Value.Null && y instanceof Value.Null ? 1 : 0);
    }
    if (Steps.isSameEnum(x, y)) {
      return KernelCode.binary(BinaryOp.EQ, Enums.ordinal(x), Enums.ordinal(y));
    }
    throw Refusal.at(frame, "compares objects with ==", "compare their fields");
  }

  /** Compares numbers, with {@code nan} as the result if one is NaN, as Java's instructions do. */
  private static Expr compare(Opcode opcode, Expr x, Expr y, int nan) {
    boolean below = x.type().isFloat() && nan < 0;
    boolean above = x.type().isFloat() && nan > 0;
    return switch (opcode) {
      case IFEQ, IF_ICMPEQ -> KernelCode.binary(BinaryOp.EQ, x, y);
      case IFNE, IF_ICMPNE -> KernelCode.binary(BinaryOp.NE, x, y);
      case IFLT, IF_ICMPLT -> ordered(BinaryOp.LT, x, y, below);
      case IFGE, IF_ICMPGE -> ordered(BinaryOp.LE, y, x, above);
      case IFGT, IF_ICMPGT -> ordered(BinaryOp.LT, y, x, above);
      case IFLE, IF_ICMPLE -> ordered(BinaryOp.LE, x, y, below);
      default -> throw new IllegalArgumentException(opcode + " is no comparison");
    };
  }

  /**
   * Whether one number is less than another, or not more; {@code orNone} if they do not compare.
   */
  private static Expr ordered(BinaryOp op, Expr x, Expr y, boolean orNone) {
    BinaryOp opposite = op == BinaryOp.LT ? BinaryOp.LE : BinaryOp.LT;
    return orNone ? KernelCode.not(KernelCode.binary(opposite, y, x)) : KernelCode.binary(op, x, y);
  }
}
