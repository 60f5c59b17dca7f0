package dev.rialto.opencl;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Dialect;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.UnaryOp;
import dev.rialto.spi.code.Type;

/** Loads, stores, arithmetic and roots of OpenCL's vectors, whose integers must not overflow. */
final class OpenClVectors implements Dialect.Vectors {
  @Override
  public String type(Type type) {
    return word(type) + type.lanes();
  }

  private static String word(Type type) {
    return switch (type.kind()) {
      case BOOL, I32 -> "int";
      case I64 -> "long";
      case F32 -> "float";
      case F64 -> "double";
    };
  }

  @Override
  public String store(String place, Buffer buffer, Expr e, Dialect.Text text) {
    String space = buffer.local() ? "" : "__global";
    return "put(%s, %s, %d, %s, %s)"
        .formatted(space, word(e.type()), e.type().lanes(), text.apply(e), place);
  }

  @Override
  public String text(Expr e, Dialect.Text text) {
    return switch (e) {
      case Expr.Var v -> v.name();
      case Expr.Load(Buffer b, Expr at, int lanes) ->
          "vload%d(0, %s + %s)".formatted(lanes, Dialect.name(b), text.apply(at));
      case Expr.Lane(Expr x, int lane) -> "(%s).s%x".formatted(text.apply(x), lane);
      case Expr.Splat(int _, Expr x) -> "((%s)(%s))".formatted(type(e.type()), text.apply(x));
      case Expr.Fma(Expr a, Expr b, Expr c) ->
          "fma(%s, %s, %s)".formatted(text.apply(a), text.apply(b), text.apply(c));
      case Expr.Unary(UnaryOp op, Expr x) when e.type().isFloat() ->
          switch (op) {
            case NEG -> "(-" + text.apply(x) + ")";
            case ABS -> "fabs(" + text.apply(x) + ")";
            case SQRT -> "sqrt(" + text.apply(x) + ")";
            default -> throw new IllegalArgumentException(op + " of vectors is not there");
          };
      case Expr.Binary(BinaryOp op, Expr x, Expr y) when e.type().isFloat() ->
          "(%s %s %s)".formatted(text.apply(x), op.symbol(), text.apply(y));
      case Expr.Binary(BinaryOp op, Expr x, Expr y) -> {
        String bits = "as_u" + type(e.type());
        yield "as_%s(%s(%s) %s %s(%s))"
            .formatted(type(e.type()), bits, text.apply(x), op.symbol(), bits, text.apply(y));
      }
      default -> throw new IllegalArgumentException(e + " is beyond arithmetic");
    };
  }
}
