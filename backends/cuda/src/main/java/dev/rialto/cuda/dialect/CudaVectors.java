package dev.rialto.cuda.dialect;

import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Dialect;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Type;

/** Loads, stores, sums and products of vectors: packs, which lie at multiples of their size. */
final class CudaVectors implements Dialect.Vectors {
  static String pack(String type, long count) {
    return "pack<" + type + ", " + count + ">";
  }

  private static String pack(Buffer.Storage storage, int lanes) {
    return pack(storage == Buffer.Storage.F64 ? "double" : "float", lanes);
  }

  @Override
  public String type(Type type) {
    return pack(
        type.kind() == Type.Kind.F64 ? Buffer.Storage.F64 : Buffer.Storage.F32, type.lanes());
  }

  @Override
  public String store(String place, Buffer buffer, Expr e, Dialect.Text text) {
    return "*(%s *)(%s) = %s"
        .formatted(pack(buffer.storage(), e.type().lanes()), place, text.apply(e));
  }

  @Override
  public String text(Expr e, Dialect.Text text) {
    return switch (e) {
      case Expr.Var v -> v.name();
      case Expr.Load(Buffer b, Expr at, int lanes) ->
          "(*(const %s *)(%s + %s))"
              .formatted(pack(b.storage(), lanes), Dialect.name(b), text.apply(at));
      case Expr.Lane(Expr x, int lane) -> text.apply(x) + ".v[" + lane + "]";
      case Expr.Splat(int _, Expr x) -> type(e.type()) + "(" + text.apply(x) + ")";
      case Expr.Binary(BinaryOp op, Expr x, Expr y) when op == BinaryOp.ADD || op == BinaryOp.MUL ->
          "(" + text.apply(x) + " " + op.symbol() + " " + text.apply(y) + ")";
      default -> throw new IllegalArgumentException(e + " is beyond sums and products");
    };
  }
}
