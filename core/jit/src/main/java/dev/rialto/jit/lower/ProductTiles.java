package dev.rialto.jit.lower;

import static dev.rialto.spi.code.Expr.BinaryOp.ADD;
import static dev.rialto.spi.code.Expr.BinaryOp.AND;
import static dev.rialto.spi.code.Expr.BinaryOp.DIV;
import static dev.rialto.spi.code.Expr.BinaryOp.LT;
import static dev.rialto.spi.code.Expr.BinaryOp.MUL;
import static dev.rialto.spi.code.Expr.BinaryOp.SUB;

import dev.rialto.jit.Affine;
import dev.rialto.jit.Assign;
import dev.rialto.jit.Node;
import dev.rialto.jit.ScalarExpression.Read;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Load;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * The tiles of a {@link MatrixProduct} in statements of the loops, for any device whose threads
 * share memory: the same tiles, slices and elements of a thread as the text in CUDA C++ has, with
 * elements loaded one by one.
 */
final class ProductTiles {
  /** Threads of a tile's row; each has four neighbours in every half of the row. */
  private static final int ACROSS = 16;

  private static final int HALF = 64;
  private static final int LOADED = 4;

  /** What keeps threads that read a column of a slice from asking one bank of the memory. */
  private static final int PADDING = 4;

  private final MatrixProduct product;
  private final Assign assign;
  private final BiFunction<Node, Boolean, Buffer> buffers;
  private final Emitter.Names names;
  private final int edge;
  private final int depth;
  private final int each;
  private final Var local;
  private final Var slice;

  /** One operand: where its slices go, what a thread loaded of it, and where its tile begins. */
  private record Side(Read read, Iter outer, Buffer shared, List<Var> loaded, Expr start) {}

  private ProductTiles(
      MatrixProduct product, BiFunction<Node, Boolean, Buffer> buffers, Emitter.Names names) {
    this.product = product;
    this.assign = product.assign();
    this.buffers = buffers;
    this.names = names;
    this.edge = product.edge();
    this.depth = product.depth();
    this.each = LOADED * edge / HALF;
    this.local = names.fresh("local", Type.I64);
    this.slice = names.fresh("slice", Type.I64);
  }

  /** Writes the loop over the tiles, whose turns are blocks of threads. */
  static Stmt body(
      MatrixProduct product,
      Var begin,
      Var end,
      BiFunction<Node, Boolean, Buffer> buffers,
      Emitter.Names names) {
    return new ProductTiles(product, buffers, names).body(begin, end);
  }

  private Buffer shared(String stem) {
    long elements = 2L * depth * (edge + PADDING);
    Buffer.Storage storage = Arithmetic.storage(assign.target().type());
    return new Buffer(names.fresh(stem, Type.I64).name(), storage, elements, true);
  }

  private Type type() {
    return new Type(Arithmetic.kind(assign.target().type()), 1);
  }

  private Stmt body(Var begin, Var end) {
    Var tile = names.fresh("tile", Type.I64);
    Emitter out = new Emitter(names);
    Expr across = Expr.of(product.tiles(product.columns()));
    Expr down = out.binary(DIV, tile, across);
    Expr side = out.sub(tile, out.mul(down, across));
    Side left = side("left", product.left(), product.rows(), out, down);
    Side right = side("right", product.right(), product.columns(), out, side);
    Expr row = out.binary(DIV, local, Expr.of(ACROSS));
    Expr column = out.sub(local, out.mul(row, Expr.of(ACROSS)));
    Expr firstRow = out.mul(row, Expr.of(LOADED));
    Expr firstColumn = out.mul(column, Expr.of(LOADED));
    Var[][] sums = start(out, left, right, firstRow, firstColumn);
    out.add(new Stmt.Let(slice, Expr.of(0)));
    for (Side each : List.of(left, right)) {
      load(out, each, Expr.of(0));
      store(out, each);
    }
    out.add(new Stmt.Barrier());
    Var k = names.fresh("k", Type.I64);
    Emitter turn = out.nested();
    turn(turn, k, left, right, sums, firstRow, firstColumn);
    out.add(new Stmt.For(k, Expr.of(0), Expr.of(product.summed().size()), depth, turn.block()));
    finish(out, left, right, sums, firstRow, firstColumn);
    Stmt items =
        new Stmt.Items(local, Expr.of(MatrixProduct.BLOCK), MatrixProduct.BLOCK, out.block());
    Stmt block =
        new Stmt.Block(
            List.of(new Stmt.Array(left.shared()), new Stmt.Array(right.shared()), items));
    return new Stmt.For(tile, begin, end, 1, block);
  }

  private Side side(String stem, Read read, Iter outer, Emitter out, Expr number) {
    List<Var> loaded = new ArrayList<>();
    for (int q = 0; q < LOADED; q++) {
      loaded.add(names.fresh(stem, type()));
      out.add(new Stmt.Let(loaded.getLast(), Expr.of(type(), 0)));
    }
    return new Side(read, outer, shared(stem), loaded, out.mul(number, Expr.of(edge)));
  }

  private static int place(int element) {
    return element / LOADED * HALF + element % LOADED;
  }

  /** Loads the next slice of an operand into registers, from a summed index on. */
  private void load(Emitter out, Side side, Expr from) {
    boolean along = product.isAlong(side.read());
    int wide = (along ? depth : edge) / LOADED;
    Expr far = out.binary(DIV, local, Expr.of(wide));
    Expr near = out.mul(out.sub(local, out.mul(far, Expr.of(wide))), Expr.of(LOADED));
    Expr outer = out.add(side.start(), along ? far : near);
    Expr summed = out.add(from, along ? near : far);
    Node node = side.read().node();
    List<Affine> index = side.read().index();
    long outerStride = AutoSchedule.stride(node, index, side.outer());
    long summedStride = AutoSchedule.stride(node, index, product.summed());
    Expr first =
        out.add(
            Expr.of(MatrixProduct.offset(index, node::stride)),
            out.add(out.mul(outer, Expr.of(outerStride)), out.mul(summed, Expr.of(summedStride))));
    boolean whole = side.outer().size() % edge == 0 && product.summed().size() % depth == 0;
    for (int q = 0; q < LOADED; q++) {
      Load value = new Load(buffers.apply(node, false), Ir.index(ADD, first, Expr.of(q)), 1);
      Stmt loads = new Stmt.Assign(side.loaded().get(q), value);
      if (whole) {
        out.add(loads);
        continue;
      }
      Expr inside =
          inside(
              out,
              along ? outer : out.add(outer, Expr.of(q)),
              side.outer().size(),
              along ? out.add(summed, Expr.of(q)) : summed,
              product.summed().size());
      out.add(
          new Stmt.If(inside, loads, new Stmt.Assign(side.loaded().get(q), Expr.of(type(), 0))));
    }
  }

  private static Expr inside(Emitter out, Expr x, long width, Expr y, long height) {
    return out.binary(AND, out.binary(LT, x, Expr.of(width)), out.binary(LT, y, Expr.of(height)));
  }

  /** Leaves what a thread loaded in the slice that is next. */
  private void store(Emitter out, Side side) {
    boolean along = product.isAlong(side.read());
    int wide = (along ? depth : edge) / LOADED;
    Expr far = out.binary(DIV, local, Expr.of(wide));
    Expr near = out.mul(out.sub(local, out.mul(far, Expr.of(wide))), Expr.of(LOADED));
    for (int q = 0; q < LOADED; q++) {
      Expr k = along ? out.add(near, Expr.of(q)) : far;
      Expr o = along ? far : out.add(near, Expr.of(q));
      out.add(new Stmt.Store(side.shared(), at(out, k, o), side.loaded().get(q)));
    }
  }

  private Expr at(Emitter out, Expr k, Expr outer) {
    Expr line = out.add(out.mul(slice, Expr.of(depth)), k);
    return out.add(out.mul(line, Expr.of(edge + PADDING)), outer);
  }

  private Var[][] start(Emitter out, Side left, Side right, Expr firstRow, Expr firstColumn) {
    Var[][] sums = new Var[each][each];
    for (int i = 0; i < each; i++) {
      for (int j = 0; j < each; j++) {
        sums[i][j] = names.fresh("sum", type());
        out.add(new Stmt.Let(sums[i][j], Expr.of(type(), 0)));
      }
    }
    if (!assign.fresh()) {
      elements(
          out,
          left,
          right,
          firstRow,
          firstColumn,
          (i, j, at) -> new Stmt.Assign(sums[i][j], new Load(target(), at, 1)));
    }
    return sums;
  }

  private Buffer target() {
    return buffers.apply(assign.target(), false);
  }

  private void finish(
      Emitter out, Side left, Side right, Var[][] sums, Expr firstRow, Expr firstColumn) {
    elements(
        out,
        left,
        right,
        firstRow,
        firstColumn,
        (i, j, at) -> new Stmt.Store(target(), at, sums[i][j]));
  }

  private interface ElementStep {
    Stmt of(int i, int j, Expr at);
  }

  /** Does a step for each element of a thread that is there. */
  private void elements(
      Emitter out, Side left, Side right, Expr firstRow, Expr firstColumn, ElementStep step) {
    Node node = assign.target();
    long stride = AutoSchedule.stride(node, assign.index(), product.rows());
    long offset = MatrixProduct.offset(assign.index(), node::stride);
    boolean whole = product.rows().size() % edge == 0 && product.columns().size() % edge == 0;
    Expr top = out.add(left.start(), firstRow);
    Expr first = out.add(right.start(), firstColumn);
    for (int i = 0; i < each; i++) {
      Expr y = out.add(top, Expr.of(place(i)));
      for (int j = 0; j < each; j++) {
        Expr x = out.add(first, Expr.of(place(j)));
        Expr at = out.add(out.add(Expr.of(offset), out.mul(y, Expr.of(stride))), x);
        @Nullable Expr inside =
            whole ? null : inside(out, y, product.rows().size(), x, product.columns().size());
        Stmt done = step.of(i, j, at);
        out.add(inside == null ? done : new Stmt.If(inside, done));
      }
    }
  }

  /** Multiplies a slice while the next one is on its way. */
  private void turn(
      Emitter out, Var k, Side left, Side right, Var[][] sums, Expr firstRow, Expr firstColumn) {
    long summed = product.summed().size();
    Expr next = out.add(k, Expr.of(depth));
    Expr more = out.binary(LT, next, Expr.of(summed));
    Emitter loads = out.nested();
    load(loads, left, next);
    load(loads, right, next);
    out.add(new Stmt.If(more, loads.block()));
    Expr rest = out.let(Ir.index(SUB, Expr.of(summed), k));
    for (int step = 0; step < depth; step++) {
      Emitter fused = summed % depth == 0 ? out : out.nested();
      List<Expr> x = line(fused, left.shared(), step, firstRow);
      List<Expr> y = line(fused, right.shared(), step, firstColumn);
      for (int i = 0; i < each; i++) {
        for (int j = 0; j < each; j++) {
          Expr term = new Expr.Binary(MUL, x.get(i), y.get(j));
          fused.add(new Stmt.Assign(sums[i][j], new Expr.Binary(ADD, sums[i][j], term)));
        }
      }
      if (fused != out) {
        out.add(new Stmt.If(out.binary(LT, Expr.of(step), rest), fused.block()));
      }
    }
    Emitter stores = out.nested();
    stores.add(new Stmt.Assign(slice, new Expr.Binary(SUB, Expr.of(1), slice)));
    store(stores, left);
    store(stores, right);
    out.add(new Stmt.If(more, stores.block()));
    out.add(new Stmt.Barrier());
  }

  /** A thread's elements of one line of the slice. */
  private List<Expr> line(Emitter out, Buffer shared, int step, Expr first) {
    Expr at = at(out, Expr.of(step), first);
    List<Expr> line = new ArrayList<>();
    for (int i = 0; i < each; i++) {
      line.add(out.let(new Load(shared, Ir.index(ADD, at, Expr.of(place(i))), 1)));
    }
    return line;
  }
}
