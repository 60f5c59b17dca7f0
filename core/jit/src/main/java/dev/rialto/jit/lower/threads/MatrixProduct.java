package dev.rialto.jit.lower.threads;

import dev.rialto.jit.Accum;
import dev.rialto.jit.Affine;
import dev.rialto.jit.Assign;
import dev.rialto.jit.Op;
import dev.rialto.jit.ScalarExpression;
import dev.rialto.jit.ScalarExpression.Apply;
import dev.rialto.jit.ScalarExpression.Read;
import dev.rialto.jit.Symbol;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.jit.lower.nest.AutoSchedule;
import dev.rialto.spi.data.DType;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A product of matrices on a device.
 *
 * @param assign what is computed
 * @param left the operand with the result's rows
 * @param right the operand with the result's columns
 * @param rows the loop over the rows
 * @param columns the loop over the columns, neighbours in the result
 * @param summed the loop that is summed over
 */
public record MatrixProduct(
    Assign assign, Read left, Read right, Iter rows, Iter columns, Iter summed) {
  public static final int BLOCK = 256;

  /** The most memory that a block shares: two slices of two operands of doubles. */
  public static final int SHARED_BYTES = 2 * 2 * 16 * (64 + 4) * Double.BYTES;

  private static final int SMALLEST = 32;

  /** As many tiles as processors of a large GPU. */
  private static final int MANY = 128;

  /**
   * The tile of a block of threads.
   *
   * @param rows of the result
   * @param columns of the result
   * @param depth how many summed elements a slice has
   */
  record Tile(int rows, int columns, int depth) {
    private static final Tile DOUBLES = new Tile(64, 64, 16);
    private static final Tile SMALL = new Tile(128, 128, 8);
    private static final Tile LARGE = new Tile(256, 128, 8);

    long down(Iter loop) {
      return (loop.size() - 1) / rows + 1;
    }

    long across(Iter loop) {
      return (loop.size() - 1) / columns + 1;
    }
  }

  /** Returns an assignment as a product, or null if it is none that tiles pay for. */
  public static @Nullable MatrixProduct of(Assign a) {
    DType type = a.target().type();
    if (a.accum() != Accum.SUM
        || (type != DType.F32 && type != DType.F64)
        || a.targetLoops().size() != 2
        || a.reducedLoops().size() != 1
        || a.hasEnds()
        || !AutoSchedule.isIndependent(a)
        || !(a.body() instanceof Apply(Op op, List<ScalarExpression> operands, DType _))
        || op != Op.MUL
        || !(operands.get(0) instanceof Read one)
        || !(operands.get(1) instanceof Read other)
        || !isPlain(a.target() == one.node() || a.target() == other.node(), one, other)) {
      return null;
    }
    List<Iter> loops = Threads.targets(a);
    Iter rows = loops.get(0);
    Iter columns = loops.get(1);
    Iter summed = a.reducedLoops().getFirst();
    if (a.target().stride(a.index(), columns) != 1
        || rows.size() < SMALLEST
        || columns.size() < SMALLEST
        || summed.size() < SMALLEST
        || !a.index().stream()
            .allMatch(i -> Set.of(rows, columns).containsAll(i.terms().keySet()))) {
      return null;
    }
    if (isOperand(one, rows, summed) && isOperand(other, columns, summed)) {
      return new MatrixProduct(a, one, other, rows, columns, summed);
    }
    return isOperand(other, rows, summed) && isOperand(one, columns, summed)
        ? new MatrixProduct(a, other, one, rows, columns, summed)
        : null;
  }

  private static boolean isPlain(boolean inPlace, Read one, Read other) {
    return !inPlace && !one.merged() && !other.merged() && one.type() == other.type();
  }

  /** Whether an operand is a matrix of these two loops, its elements side by side along one. */
  private static boolean isOperand(Read read, Iter outer, Iter summed) {
    Set<Symbol> loops = Set.of(outer, summed);
    long across = read.node().stride(read.index(), outer);
    long along = read.node().stride(read.index(), summed);
    return read.index().stream().allMatch(i -> loops.containsAll(i.terms().keySet()))
        && across > 0
        && along > 0
        && (across == 1 || along == 1);
  }

  /** Returns the tile of a block; a large one takes 1.06 of the time of cuBLAS, others 1.2. */
  Tile tile() {
    if (assign.target().type() == DType.F64) {
      return Tile.DOUBLES;
    }
    return Tile.LARGE.down(rows) * Tile.LARGE.across(columns) < MANY ? Tile.SMALL : Tile.LARGE;
  }

  /** Returns how many blocks of threads it takes. */
  public long blocks() {
    return Math.multiplyExact(tile().down(rows), tile().across(columns));
  }

  static long offset(List<Affine> index, java.util.function.IntToLongFunction stride) {
    long offset = 0;
    for (int axis = 0; axis < index.size(); axis++) {
      offset += index.get(axis).offset() * stride.applyAsLong(axis);
    }
    return offset;
  }

  boolean isAlong(Read read) {
    return read.node().stride(read.index(), summed) == 1;
  }
}
