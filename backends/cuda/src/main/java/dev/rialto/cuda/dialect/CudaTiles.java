package dev.rialto.cuda.dialect;

import dev.rialto.cuda.CudaResource;
import dev.rialto.spi.code.Dialect;
import dev.rialto.spi.code.KernelDialect;
import dev.rialto.spi.code.Stmt;
import java.util.StringJoiner;

/** Steps of matrix tiles as calls of the functions in {@code tiles.cu}. */
final class CudaTiles implements KernelDialect.Tiles {
  private static final class Holder {
    static final String FUNCTIONS = CudaResource.read("tiles.cu");
  }

  @Override
  public String functions() {
    return Holder.FUNCTIONS;
  }

  @Override
  public String call(Stmt.TileStep x, boolean shared, int items, Dialect.Text text) {
    String shape = "<" + x.rows() + ", " + x.columns();
    String depth = shape + ", " + x.depth();
    String function =
        switch (x.op()) {
          case MULTIPLY_F16 -> "tile_multiply16" + depth + ", false, " + shared + ">";
          case MULTIPLY_BF16 -> "tile_multiply16" + depth + ", true, " + shared + ">";
          case MULTIPLY_TF32 -> "tile_multiply_tf32" + depth + ">";
          case MULTIPLY_F64 -> "tile_multiply_f64" + depth + ">";
          case LOAD -> "tile_load" + shape + ">";
          case STORE -> "tile_store" + shape + ", plain_store>";
          case STORE_F16 -> "tile_store" + shape + ", half_store>";
          case STORE_BF16 -> "tile_store" + shape + ", upper_store>";
          case COPY -> "tile_copy" + shape + ", " + items + ">";
        };
    StringJoiner arguments = new StringJoiner(", ", "(", ");");
    if (x.op() != Stmt.TileOp.COPY) {
      arguments.add(Dialect.name(x.sums()));
    }
    for (Stmt.TilePlace tile : x.tiles()) {
      arguments.add("&" + Dialect.name(tile.buffer()) + "[" + text.apply(tile.offset()) + "]");
      arguments.add(text.apply(tile.stride()));
    }
    return function + arguments;
  }
}
