package dev.rialto.jit.lower;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.UnaryOp;
import dev.rialto.spi.code.Type;

/**
 * Prints loads, stores, arithmetic and roots of vectors as OpenCL C, whose integers must not
 * overflow.
 */
final class OpenClVectors {
  private final CExpressions scalars;

  OpenClVectors(CExpressions scalars) {
    this.scalars = scalars;
  }

  static String type(Type type) {
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

  private String place(Buffer b, Expr at) {
    return CExpressions.name(b) + " + " + scalars.text(at);
  }

  String store(Buffer b, Expr at, Expr e) {
    return "vstore%d(%s, 0, %s)".formatted(e.type().lanes(), text(e), place(b, at));
  }

  String text(Expr e) {
    return switch (e) {
      case Expr.Var v -> v.name();
      case Expr.Load(Buffer b, Expr at, int lanes) ->
          "vload%d(0, %s)".formatted(lanes, place(b, at));
      case Expr.Splat(int _, Expr x) -> "((%s)(%s))".formatted(type(e.type()), scalars.text(x));
      case Expr.Fma(Expr a, Expr b, Expr c) ->
          "fma(%s, %s, %s)".formatted(text(a), text(b), text(c));
      case Expr.Unary(UnaryOp op, Expr x) when e.type().isFloat() ->
          switch (op) {
            case NEG -> "(-" + text(x) + ")";
            case ABS -> "fabs(" + text(x) + ")";
            case SQRT -> "sqrt(" + text(x) + ")";
            default -> throw new IllegalArgumentException(op + " of vectors is not there");
          };
      case Expr.Binary(BinaryOp op, Expr x, Expr y) when e.type().isFloat() ->
          "(%s %s %s)".formatted(text(x), op.symbol(), text(y));
      case Expr.Binary(BinaryOp op, Expr x, Expr y) -> {
        String bits = "as_u" + type(e.type());
        yield "as_%s(%s(%s) %s %s(%s))"
            .formatted(type(e.type()), bits, text(x), op.symbol(), bits, text(y));
      }
      default -> throw new IllegalArgumentException(e + " is beyond arithmetic");
    };
  }
}
