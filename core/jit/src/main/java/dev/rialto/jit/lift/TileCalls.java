package dev.rialto.jit.lift;

import static java.util.Objects.requireNonNull;

import dev.rialto.jit.kernel.Tile;
import dev.rialto.jit.lift.IndexGuards.Check;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Expr;
import dev.rialto.spi.code.Expr.BinaryOp;
import dev.rialto.spi.code.Expr.Const;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.code.Stmt.TileOp;
import dev.rialto.spi.code.Stmt.TilePlace;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Calls of a {@link Tile} as steps of targets that have instructions for them. */
final class TileCalls {
  static final String OWNER = Tile.class.getName().replace('.', '/');

  /** The method that checks whether subgroups are whole. */
  static final String REQUIRE = "requireWhole";

  private static final Set<String> STEPS =
      Set.of(
          "load",
          "store",
          "copy",
          "multiplyAdd",
          "multiplyAddF16",
          "multiplyAddBf16",
          "multiplyAddTf32");

  private static final int SHARED_UNIT = 8;

  /** The elements from row to row up to which the end of a tile is computed without wrapping. */
  private static final long MOST_STRIDE = 1L << 40;

  /** Conditions on the tiles of a step. */
  private final List<Check> checks = new ArrayList<>();

  private final KernelCode code;

  TileCalls(KernelCode code) {
    this.code = code;
  }

  static boolean isStep(String owner, String name) {
    return owner.equals(OWNER) && STEPS.contains(name);
  }

  /** Refuses blocks of subgroups that are not whole. */
  void requireWhole(Frame frame, List<Axis> axes) {
    long items = axes.stream().mapToLong(Axis::size).reduce(1, (x, y) -> x * y);
    if (items % Stmt.SUBGROUP != 0) {
      throw Refusal.at(
          caller(frame),
          "uses tiles in blocks of " + items + " items",
          "give blocks a multiple of 32 items");
    }
    code.needWholeBlocks();
  }

  private static Frame caller(Frame frame) {
    Frame found = frame;
    while (found.caller != null && found.owner.internalName().equals(OWNER)) {
      found = found.caller;
    }
    return found;
  }

  /** Writes a step. */
  void call(Frame frame, String name, String type, @Nullable Value receiver, Value[] arguments) {
    if (name.equals("copy")) {
      int rows = constant(frame, arguments[7], "rows");
      int columns = constant(frame, arguments[8], "columns");
      TilePlace to = place(frame, arguments, 1, rows, columns);
      TilePlace from = place(frame, arguments, 4, rows, columns);
      code.tiles(
          new Stmt.TileStep(TileOp.COPY, rows, columns, 0, to.buffer(), List.of(to, from)), checks);
      return;
    }
    if (!(receiver instanceof Value.Constant(Object object)) || !(object instanceof Tile shape)) {
      throw Refusal.at(
          frame,
          "makes a Tile",
          "make it outside of the kernel, as a static final field or a captured value");
    }
    if (!(arguments[1] instanceof Value.LocalArray(Buffer sums, var _, boolean isShared))
        || isShared
        || sums.elements() != (long) shape.rows() * shape.columns() / Stmt.SUBGROUP) {
      throw Refusal.at(
          frame,
          "calls "
              + name
              + " of a tile of %d by %d with other sums".formatted(shape.rows(), shape.columns()),
          "use sums that zeros of the same tile gave");
    }
    boolean multiplies = name.startsWith("multiply");
    List<TilePlace> tiles = new ArrayList<>();
    for (int i = 2; i + 2 < arguments.length; i += 3) {
      int rows = multiplies && !tiles.isEmpty() ? shape.depth() : shape.rows();
      int columns = multiplies && tiles.isEmpty() ? shape.depth() : shape.columns();
      tiles.add(place(frame, arguments, i, rows, columns));
    }
    code.tiles(
        new Stmt.TileStep(
            op(name, type),
            shape.rows(),
            shape.columns(),
            multiplies ? shape.depth() : 0,
            sums,
            tiles),
        checks);
  }

  private static TileOp op(String name, String type) {
    boolean half = type.contains("/F16;");
    boolean upper = type.contains("/BF16;");
    return switch (name) {
      case "load" -> TileOp.LOAD;
      case "store" -> half ? TileOp.STORE_F16 : upper ? TileOp.STORE_BF16 : TileOp.STORE;
      case "multiplyAddF16" -> TileOp.MULTIPLY_F16;
      case "multiplyAddBf16" -> TileOp.MULTIPLY_BF16;
      case "multiplyAddTf32" -> TileOp.MULTIPLY_TF32;
      default -> half ? TileOp.MULTIPLY_F16 : upper ? TileOp.MULTIPLY_BF16 : TileOp.MULTIPLY_F64;
    };
  }

  private static int constant(Frame frame, Value value, String what) {
    if (value instanceof Value.Num(Expr e) && e instanceof Const c && c.bits() > 0) {
      return (int) c.bits();
    }
    throw Refusal.at(
        frame, "copies a tile whose " + what + " only a launch knows", "give a positive constant");
  }

  /** Checks that a tile ends in its array. */
  private void check(Expr offset, Expr stride, Expr length, int rows, int columns, String array) {
    Expr before = KernelCode.binary(BinaryOp.MUL, stride, Expr.of(rows - 1));
    Expr last = KernelCode.binary(BinaryOp.ADD, before, Expr.of(columns - 1));
    Expr end = KernelCode.binary(BinaryOp.SUB, length, last);
    checks.add(Check.of(stride, Expr.of(MOST_STRIDE), "the rows of a tile of " + array));
    checks.add(Check.of(offset, end, "tiles of " + array));
  }

  private TilePlace place(Frame frame, Value[] arguments, int at, int rows, int columns) {
    Value array =
        arguments[at] instanceof Value.Taken halves
            ? requireNonNull(halves.fields.get("bits"))
            : arguments[at];
    Expr offset = index(frame, arguments[at + 1]);
    Expr stride = index(frame, arguments[at + 2]);
    return switch (array) {
      case Value.Parameter(Buffer buffer, Expr length, int argument) -> {
        check(offset, stride, length, rows, columns, "argument " + (argument + 1));
        yield new TilePlace(buffer, offset, stride);
      }
      case Value.LocalArray(Buffer buffer, var _, boolean isShared) when isShared -> {
        if (stride instanceof Const c && c.bits() % SHARED_UNIT != 0) {
          throw Refusal.at(
              frame,
              "has a tile with rows " + c.bits() + " elements apart in a shared array",
              "give a multiple of 8");
        }
        Expr length = Expr.of(buffer.elements());
        check(offset, stride, length, rows, columns, "a shared array");
        yield new TilePlace(buffer, offset, stride);
      }
      default ->
          throw Refusal.at(
              frame,
              "has a tile in an array of the item's own",
              "use a parameter or a shared array");
    };
  }

  private Expr index(Frame frame, Value value) {
    return KernelCode.index(code.once(Intrinsics.number(frame, value)));
  }
}
