package dev.rialto.jit.lower.threads;

import static dev.rialto.spi.code.Expr.BinaryOp.ADD;
import static dev.rialto.spi.code.Expr.BinaryOp.AND;
import static dev.rialto.spi.code.Expr.BinaryOp.DIV;
import static dev.rialto.spi.code.Expr.BinaryOp.LT;
import static dev.rialto.spi.code.Expr.BinaryOp.MUL;
import static dev.rialto.spi.code.Expr.BinaryOp.REM;
import static dev.rialto.spi.code.Expr.BinaryOp.SUB;

import dev.rialto.jit.Affine;
import dev.rialto.jit.Assign;
import dev.rialto.jit.Node;
import dev.rialto.jit.ScalarExpression.Read;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.loops.Ir;
import dev.rialto.jit.lower.arithmetic.Arithmetic;
import dev.rialto.jit.lower.arithmetic.Emitter;
import dev.rialto.jit.lower.nest.Scope;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.Load;
import dev.rialto.spi.code.Expr.Var;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Type;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The tiles of a {@link MatrixProduct} in statements of the loops, for any device whose threads
 * share memory.
 *
 * <p>Slices of both operands go through shared memory, the next one being loaded while the last one
 * is used, in vectors of 16 bytes where the matrices lie so. A thread has 16 by 8 elements of a
 * large tile in registers, 8 by 8 or 4 by 4 of a smaller one. They are vectors that lie apart, so
 * that a subgroup, 4 by 8 threads, reads each line of a slice without meeting a bank twice.
 *
 * <p>Each element is summed in the order of the loops, so results are those of the plain loops to
 * the bit unless operations may be contracted.
 */
public final class ProductTiles {
  /** The threads of a subgroup down and across, and its subgroups across a tile. */
  private static final int DOWN = 4;

  private static final int ACROSS = 8;
  private static final int PARTS = 2;

  /** Keeps threads that write a column of a slice from asking one bank of the memory. */
  private static final int PADDING = 4;

  private final MatrixProduct product;
  private final MatrixProduct.Tile tile;
  private final Assign assign;
  private final Scope scope;
  private final Emitter.Names names;
  private final Type type;
  private final int lanes;
  private final int rows;
  private final int columns;
  private final boolean whole;
  private final boolean wide;
  private final int width;
  private final Type places;
  private final Var local;
  private final Var slice;

  /**
   * One operand.
   *
   * @param edge the tile's
   * @param shared where its slices go
   * @param wide whether vectors are loaded, or elements that may lie outside
   * @param loaded what a thread loaded
   * @param start where the tile begins
   * @param first a thread's first row or column in the tile
   */
  private record Side(
      Read read,
      Iter outer,
      int edge,
      Buffer shared,
      boolean wide,
      List<Var> loaded,
      Expr start,
      Expr first) {}

  public ProductTiles(MatrixProduct product, Scope scope, Emitter.Names names) {
    this.product = product;
    this.tile = product.tile();
    this.assign = product.assign();
    this.scope = scope;
    this.names = names;
    this.type = new Type(Arithmetic.kind(assign.target().type()), 1);
    this.lanes = 128 / type.kind().bits();
    this.rows = tile.rows() / (MatrixProduct.BLOCK / Stmt.SUBGROUP / PARTS) / DOWN;
    this.columns = tile.columns() / PARTS / ACROSS;
    this.whole =
        product.rows().size() % tile.rows() == 0 && product.columns().size() % tile.columns() == 0;
    this.wide = whole && fits(assign.target(), assign.index(), product.rows());
    this.width = wide ? lanes : 1;
    // Places of 64 bits cost registers: 1.50 of the time of cuBLAS instead of 1.02.
    boolean narrow =
        Stream.of(assign.target(), product.left().node(), product.right().node())
            .allMatch(node -> node.bytes() / node.type().size() <= Integer.MAX_VALUE);
    this.places = narrow ? Type.I32 : Type.I64;
    this.local = names.fresh("local", places);
    this.slice = names.fresh("slice", places);
  }

  private Expr constant(long value) {
    return new Expr.Const(places, value);
  }

  /** Returns an index of 64 bits as one of the type that places are computed in. */
  private Expr narrow(Emitter out, Expr index) {
    return places.equals(Type.I64) ? index : out.convert(places.kind(), index);
  }

  private static Expr wide(Expr place) {
    return place.type().equals(Type.I64) ? place : new Expr.Convert(Type.I64, place);
  }

  /** Whether vectors of a matrix lie at multiples of their size, lines being apart by a loop. */
  private boolean fits(Node node, List<Affine> index, Iter lines) {
    return node.stride(index, lines) % lanes == 0
        && MatrixProduct.offset(index, node::stride) % lanes == 0;
  }

  /** Writes the loop over the tiles, whose turns are blocks of threads. */
  public Stmt body() {
    Var turn = names.fresh("tile", Type.I64);
    Var item = names.fresh("item", Type.I64);
    Emitter out = new Emitter(names);
    out.add(new Stmt.Let(local, narrow(out, item)));
    Expr number = narrow(out, turn);
    Expr across = constant(tile.across(product.columns()));
    Expr subgroup = out.binary(DIV, local, constant(Stmt.SUBGROUP));
    Expr lane = out.binary(REM, local, constant(Stmt.SUBGROUP));
    Side left =
        side(
            "left",
            product.left(),
            product.rows(),
            tile.rows(),
            out.mul(out.binary(DIV, number, across), constant(tile.rows())),
            first(
                out, out.binary(DIV, subgroup, PARTS), rows * DOWN, out.binary(DIV, lane, ACROSS)));
    Side right =
        side(
            "right",
            product.right(),
            product.columns(),
            tile.columns(),
            out.mul(out.binary(REM, number, across), constant(tile.columns())),
            first(
                out,
                out.binary(REM, subgroup, PARTS),
                columns * ACROSS,
                out.binary(REM, lane, ACROSS)));
    Var[][] sums = start(out, left, right);
    out.add(new Stmt.Let(slice, constant(0)));
    for (Side each : List.of(left, right)) {
      each.loaded().forEach(v -> out.add(new Stmt.Let(v, zero(v.type().lanes()))));
      load(out, each, constant(0));
      store(out, each);
    }
    out.add(new Stmt.Barrier());
    Var k = names.fresh("k", Type.I64);
    Emitter slices = out.nested();
    turn(slices, narrow(slices, k), left, right, sums);
    long summed = product.summed().size();
    out.add(new Stmt.For(k, Expr.of(0), Expr.of(summed), tile.depth(), slices.block()));
    elements(
        out,
        left,
        right,
        (i, j, at) ->
            new Stmt.Store(scope.buffers().apply(assign.target(), false), wide(at), sums[i][j]));
    Stmt items =
        new Stmt.Items(item, Expr.of(MatrixProduct.BLOCK), MatrixProduct.BLOCK, out.block());
    Stmt block =
        new Stmt.Block(
            List.of(new Stmt.Array(left.shared()), new Stmt.Array(right.shared()), items));
    return new Stmt.For(turn, scope.begin(), scope.end(), 1, block);
  }

  private Expr first(Emitter out, Expr part, int size, Expr thread) {
    return out.add(out.mul(part, constant(size)), out.mul(thread, constant(lanes)));
  }

  private Expr zero(int lanes) {
    return Emitter.spread(Expr.of(type, 0), lanes);
  }

  private Side side(String stem, Read read, Iter outer, int edge, Expr start, Expr first) {
    boolean along = product.isAlong(read);
    boolean even = outer.size() % edge == 0 && product.summed().size() % tile.depth() == 0;
    boolean wide = even && fits(read.node(), read.index(), along ? outer : product.summed());
    List<Var> loaded = new ArrayList<>();
    int elements = edge * tile.depth() / MatrixProduct.BLOCK;
    for (int q = 0; q < elements; q += wide ? lanes : 1) {
      loaded.add(names.fresh(stem, type.withLanes(wide ? lanes : 1)));
    }
    Buffer.Storage storage = Arithmetic.storage(assign.target().type());
    long size = 2L * tile.depth() * (edge + PADDING);
    Buffer shared = new Buffer(names.fresh(stem, Type.I64).name(), storage, size, true);
    return new Side(read, outer, edge, shared, wide, loaded, start, first);
  }

  /** A step for a vector that a thread loads, which begins at a place of the slice. */
  private interface PieceStep {
    void at(int piece, Expr outer, Expr summed);
  }

  private void pieces(Emitter out, Side side, PieceStep step) {
    boolean along = product.isAlong(side.read());
    int inLine = (along ? tile.depth() : side.edge()) / lanes;
    int pieces = side.edge() * tile.depth() / MatrixProduct.BLOCK / lanes;
    for (int piece = 0; piece < pieces; piece++) {
      Expr number = out.add(local, constant((long) piece * MatrixProduct.BLOCK));
      Expr line = out.binary(DIV, number, constant(inLine));
      Expr place = out.mul(out.binary(REM, number, constant(inLine)), constant(lanes));
      step.at(piece, along ? line : place, along ? place : line);
    }
  }

  /** Loads a slice of an operand into registers, from a summed index on. */
  private void load(Emitter out, Side side, Expr from) {
    boolean along = product.isAlong(side.read());
    Node node = side.read().node();
    Buffer buffer = scope.buffers().apply(node, false);
    List<Affine> index = side.read().index();
    Expr outerStride = constant(node.stride(index, side.outer()));
    Expr summedStride = constant(node.stride(index, product.summed()));
    Expr offset = constant(MatrixProduct.offset(index, node::stride));
    pieces(
        out,
        side,
        (piece, o, s) -> {
          Expr outer = out.add(side.start(), o);
          Expr summed = out.add(from, s);
          Expr line = out.add(offset, out.mul(outer, outerStride));
          Expr first = out.add(line, out.mul(summed, summedStride));
          if (side.wide()) {
            out.add(
                new Stmt.Assign(side.loaded().get(piece), new Load(buffer, wide(first), lanes)));
            return;
          }
          for (int q = 0; q < lanes; q++) {
            Var to = side.loaded().get(piece * lanes + q);
            Load value = new Load(buffer, wide(Ir.index(ADD, first, constant(q))), 1);
            Expr inside =
                inside(
                    out,
                    along ? outer : out.add(outer, constant(q)),
                    side.outer(),
                    along ? out.add(summed, constant(q)) : summed,
                    product.summed());
            Stmt zero = new Stmt.Assign(to, zero(1));
            out.add(new Stmt.If(inside, new Stmt.Assign(to, value), zero));
          }
        });
  }

  private Expr inside(Emitter out, Expr x, Iter wide, Expr y, Iter high) {
    return out.binary(
        AND, out.binary(LT, x, constant(wide.size())), out.binary(LT, y, constant(high.size())));
  }

  /** Leaves what a thread loaded in the slice that is next. */
  private void store(Emitter out, Side side) {
    boolean along = product.isAlong(side.read());
    int line = side.edge() + PADDING;
    pieces(
        out,
        side,
        (piece, outer, summed) -> {
          Expr in = out.add(out.mul(slice, constant(tile.depth())), summed);
          Expr at = out.add(out.mul(in, constant(line)), outer);
          if (side.wide() && !along) {
            out.add(new Stmt.Store(side.shared(), wide(at), side.loaded().get(piece)));
            return;
          }
          for (int q = 0; q < lanes; q++) {
            Expr value =
                side.wide()
                    ? new Expr.Lane(side.loaded().get(piece), q)
                    : side.loaded().get(piece * lanes + q);
            Expr place = Ir.index(ADD, at, constant(along ? (long) q * line : q));
            out.add(new Stmt.Store(side.shared(), wide(place), value));
          }
        });
  }

  /** Makes the sums: by row, vectors of columns where the result is stored so. */
  private Var[][] start(Emitter out, Side left, Side right) {
    Var[][] sums = new Var[rows][columns / width];
    for (Var[] row : sums) {
      for (int j = 0; j < row.length; j++) {
        row[j] = names.fresh("sum", type.withLanes(width));
        out.add(new Stmt.Let(row[j], zero(width)));
      }
    }
    if (!assign.fresh()) {
      Buffer target = scope.buffers().apply(assign.target(), false);
      elements(
          out,
          left,
          right,
          (i, j, at) -> new Stmt.Assign(sums[i][j], new Load(target, wide(at), width)));
    }
    return sums;
  }

  private interface ElementStep {
    Stmt of(int i, int j, Expr at);
  }

  /** Does a step for each sum of a thread whose elements are there. */
  private void elements(Emitter out, Side left, Side right, ElementStep step) {
    Node node = assign.target();
    Expr stride = constant(node.stride(assign.index(), product.rows()));
    Expr offset = constant(MatrixProduct.offset(assign.index(), node::stride));
    Expr top = out.add(left.start(), left.first());
    Expr first = out.add(right.start(), right.first());
    for (int i = 0; i < rows; i++) {
      Expr y = out.add(top, constant(place(i, DOWN)));
      Expr line = out.add(offset, out.mul(y, stride));
      for (int j = 0; j < columns; j += width) {
        Expr x = out.add(first, constant(place(j, ACROSS)));
        Stmt done = step.of(i, j / width, out.add(line, x));
        out.add(
            whole ? done : new Stmt.If(inside(out, y, product.rows(), x, product.columns()), done));
      }
    }
  }

  /** Returns the place of a thread's element behind its first: a subgroup's are side by side. */
  private int place(int element, int threads) {
    return element / lanes * lanes * threads + element % lanes;
  }

  /** Multiplies a slice while the next one is on its way. */
  private void turn(Emitter out, Expr k, Side left, Side right, Var[][] sums) {
    int depth = tile.depth();
    long summed = product.summed().size();
    Expr next = out.add(k, constant(depth));
    Expr more = out.binary(LT, next, constant(summed));
    Emitter loads = out.nested();
    load(loads, left, next);
    load(loads, right, next);
    out.add(new Stmt.If(more, loads.block()));
    Expr rest = out.let(Ir.index(SUB, constant(summed), k));
    Expr x = lines(out, left);
    Expr y = lines(out, right);
    for (int step = 0; step < depth; step++) {
      Emitter fused = summed % depth == 0 ? out : out.nested();
      multiply(fused, step, left, x, right, y, sums);
      if (fused != out) {
        out.add(new Stmt.If(out.binary(LT, constant(step), rest), fused.block()));
      }
    }
    Emitter stores = out.nested();
    stores.add(new Stmt.Assign(slice, new Expr.Binary(SUB, constant(1), slice)));
    store(stores, left);
    store(stores, right);
    stores.add(new Stmt.Barrier());
    out.add(new Stmt.If(more, stores.block()));
  }

  /** Returns the first place of a thread's elements of the slice. */
  private Expr lines(Emitter out, Side side) {
    Expr size = constant((long) tile.depth() * (side.edge() + PADDING));
    return out.add(out.mul(slice, size), side.first());
  }

  private void multiply(
      Emitter out, int step, Side left, Expr x, Side right, Expr y, Var[][] sums) {
    List<Expr> down = line(out, left, step, x, rows, DOWN);
    List<Expr> across = line(out, right, step, y, columns, ACROSS);
    for (int i = 0; i < rows; i++) {
      Expr a = Emitter.spread(new Expr.Lane(down.get(i / lanes), i % lanes), width);
      for (int j = 0; j < sums[i].length; j++) {
        Expr b = across.get(j * width / lanes);
        Expr term = new Expr.Binary(MUL, a, wide ? b : new Expr.Lane(b, j % lanes));
        out.add(new Stmt.Assign(sums[i][j], new Expr.Binary(ADD, sums[i][j], term)));
      }
    }
  }

  /** A thread's elements of one line of the slice. */
  private List<Expr> line(Emitter out, Side side, int step, Expr first, int count, int threads) {
    List<Expr> line = new ArrayList<>();
    for (int i = 0; i < count; i += lanes) {
      long place = (long) step * (side.edge() + PADDING) + place(i, threads);
      line.add(
          out.let(new Load(side.shared(), wide(Ir.index(ADD, first, constant(place))), lanes)));
    }
    return line;
  }
}
