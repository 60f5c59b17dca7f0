package dev.rialto.jit.lower;

import dev.rialto.jit.Accum;
import dev.rialto.jit.Affine;
import dev.rialto.jit.Assign;
import dev.rialto.jit.Op;
import dev.rialto.jit.ScalarExpression;
import dev.rialto.jit.ScalarExpression.Read;
import dev.rialto.jit.Symbol;
import dev.rialto.jit.Symbol.Iter;
import dev.rialto.spi.code.Buffer;
import dev.rialto.spi.code.Dialect;
import dev.rialto.spi.data.DType;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A product of matrices on a GPU.
 *
 * <p>A block of 256 threads computes a tile of the result, each thread 8 by 8 elements of it in
 * registers (4 by 4 of doubles). Slices of both operands go through shared memory, the next one
 * being loaded while the last one is used, 16 bytes at a time. A thread's elements are four
 * neighbours in each half of the tile, so that a warp reads shared memory without conflicts.
 *
 * <p>Each element is summed in the order of the loops, so results are those of the plain loops to
 * the bit unless operations may be contracted.
 *
 * @param assign what is computed
 * @param left the operand with the result's rows
 * @param right the operand with the result's columns
 * @param rows the loop over the rows
 * @param columns the loop over the columns, neighbours in the result
 * @param summed the loop that is summed over
 */
record MatrixProduct(Assign assign, Read left, Read right, Iter rows, Iter columns, Iter summed) {
  static final int BLOCK = 256;

  /** The most memory that a block shares: two slices of two operands of doubles. */
  static final int SHARED_BYTES = 2 * 2 * 16 * (64 + 4) * Double.BYTES;

  private static final int SMALLEST = 32;

  /** Returns an assignment as a product, or null if it is none that tiles pay for. */
  static @Nullable MatrixProduct of(Assign a) {
    DType type = a.target().type();
    if (a.accum() != Accum.SUM
        || (type != DType.F32 && type != DType.F64)
        || a.targetLoops().size() != 2
        || a.reducedLoops().size() != 1
        || a.hasEnds()
        || !AutoSchedule.isIndependent(a)
        || !(a.body()
            instanceof ScalarExpression.Apply(Op op, List<ScalarExpression> operands, DType _))
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
    if (AutoSchedule.stride(a.target(), a.index(), columns) != 1
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
    long across = AutoSchedule.stride(read.node(), read.index(), outer);
    long along = AutoSchedule.stride(read.node(), read.index(), summed);
    return read.index().stream().allMatch(i -> loops.containsAll(i.terms().keySet()))
        && across > 0
        && along > 0
        && (across == 1 || along == 1);
  }

  private boolean isDouble() {
    return assign.target().type() == DType.F64;
  }

  /** Returns the edge of a tile. */
  int edge() {
    return isDouble() ? 64 : 128;
  }

  /** Returns how many summed elements a slice has. */
  int depth() {
    return isDouble() ? 16 : 8;
  }

  long tiles(Iter loop) {
    return (loop.size() - 1) / edge() + 1;
  }

  /** Returns how many blocks of threads it takes. */
  long blocks() {
    return Math.multiplyExact(tiles(rows), tiles(columns));
  }

  /** Returns how many threads it takes. */
  long items() {
    return Math.multiplyExact(tiles(rows) * BLOCK, tiles(columns));
  }

  static long offset(List<Affine> index, java.util.function.IntToLongFunction stride) {
    long offset = 0;
    for (int axis = 0; axis < index.size(); axis++) {
      offset += index.get(axis).offset() * stride.applyAsLong(axis);
    }
    return offset;
  }

  /**
   * Writes the kernel's body.
   *
   * @param names the buffer of each node
   */
  String body(Function<Read, Buffer> names, Buffer target) {
    int edge = edge();
    int depth = depth();
    boolean even = summed.size() % depth == 0;
    long row = AutoSchedule.stride(assign.target(), assign.index(), rows);
    long first = offset(assign.index(), assign.target()::stride);
    boolean whole = rows.size() % edge == 0 && columns.size() % edge == 0;
    boolean wide = whole && row % 4 == 0 && first % 4 == 0;
    String c = Dialect.name(target) + " + " + first + "LL";
    return TEMPLATE
        .replace("LOAD_A", load("a", left, rows, names, even))
        .replace("LOAD_B", load("b", right, columns, names, even))
        .replace("STORE_A", store("a", left))
        .replace("STORE_B", store("b", right))
        .replace("START", assign.fresh() ? "0" : whole ? "C(i, j)" : "INSIDE(i, j) ? C(i, j) : 0")
        .replace("STEPS", even ? "DEPTH" : "min((int64_t)DEPTH, SUMMED - k1)")
        .replace("FINISH", wide ? WIDE : whole ? NARROW : "if (INSIDE(i, j)) " + NARROW)
        .replace("COLUMNS_OF_THREAD", wide ? "j += 4" : "j++")
        .replace("C(i, j)", "(" + c + ")[(bm + ROW(i)) * " + row + "LL + bn + COLUMN(j)]")
        .replace(
            "INSIDE(i, j)",
            "(bm + ROW(i) < " + rows.size() + "LL && bn + COLUMN(j) < " + columns.size() + "LL)")
        .replace("TILES", tiles(columns) + "LL")
        .replace("SUMMED", summed.size() + "LL")
        .replace("HALVES", Integer.toString(edge / 64))
        .replace("DEPTH", Integer.toString(depth))
        .replace("EDGE", Integer.toString(edge))
        .replace("REAL", isDouble() ? "double" : "float");
  }

  boolean isAlong(Read read) {
    return AutoSchedule.stride(read.node(), read.index(), summed) == 1;
  }

  /** Loads four neighbours of a slice: along the summed loop, or along the other one. */
  private String load(
      String to, Read read, Iter outer, Function<Read, Buffer> names, boolean even) {
    boolean along = isAlong(read);
    long far = AutoSchedule.stride(read.node(), read.index(), along ? outer : summed);
    long first = offset(read.index(), read.node()::stride);
    String name = Dialect.name(names.apply(read)) + " + " + first + "LL";
    String start = "b" + (to.equals("a") ? "m" : "n");
    String o = start + " + " + (along ? "t / (DEPTH / 4)" : "t % (EDGE / 4) * 4");
    String k = "k0 + " + (along ? "t % (DEPTH / 4) * 4" : "t / (EDGE / 4)");
    String place =
        along ? "(" + o + ") * " + far + "LL + " + k : "(" + k + ") * " + far + "LL + " + o;
    if (even && outer.size() % edge() == 0 && far % 4 == 0 && first % 4 == 0) {
      return to + " = *(const four *)(" + name + " + " + place + ");";
    }
    return "for (int q = 0; q < 4; q++) "
        + to
        + ".v[q] = "
        + (o + (along ? "" : " + q"))
        + " < "
        + outer.size()
        + "LL && "
        + (k + (along ? " + q" : ""))
        + " < SUMMED ? ("
        + name
        + ")["
        + place
        + " + q] : 0;";
  }

  private String store(String from, Read read) {
    return isAlong(read)
        ? "for (int q = 0; q < 4; q++) "
            + from
            + "s[slice][t % (DEPTH / 4) * 4 + q][t / (DEPTH / 4)] = "
            + from
            + ".v[q];"
        : "*(four *)&" + from + "s[slice][t / (EDGE / 4)][t % (EDGE / 4) * 4] = " + from + ";";
  }

  private static final String WIDE = "*(four *)&C(i, j) = *(four *)&sum[i][j];";
  private static final String NARROW = "C(i, j) = sum[i][j];";

  private static final String TEMPLATE =
      """
        struct alignas(16) four { REAL v[4]; };
        __shared__ __align__(16) REAL as[2][DEPTH][EDGE + 4];
        __shared__ __align__(16) REAL bs[2][DEPTH][EDGE + 4];
        int t = threadIdx.x;
        int64_t bm = blockIdx.x / TILES * EDGE, bn = blockIdx.x % TILES * EDGE;
        #define ROW(i) (t / 16 * 4 + (i) / 4 * 64 + (i) % 4)
        #define COLUMN(j) (t % 16 * 4 + (j) / 4 * 64 + (j) % 4)
        alignas(16) REAL sum[4 * HALVES][4 * HALVES];
        #pragma unroll
        for (int i = 0; i < 4 * HALVES; i++)
          #pragma unroll
          for (int j = 0; j < 4 * HALVES; j++) sum[i][j] = START;
        four a, b;
        int slice = 0;
        int64_t k0 = 0;
        LOAD_A
        LOAD_B
        STORE_A
        STORE_B
        __syncthreads();
        for (int64_t k1 = 0; k1 < SUMMED; k1 += DEPTH) {
          bool more = k1 + DEPTH < SUMMED;
          k0 = k1 + DEPTH;
          if (more) {
            LOAD_A
            LOAD_B
          }
          int steps = STEPS;
          #pragma unroll
          for (int k = 0; k < DEPTH; k++) {
            if (k < steps) {
              four x[HALVES], y[HALVES];
              #pragma unroll
              for (int h = 0; h < HALVES; h++) {
                x[h] = *(const four *)&as[slice][k][t / 16 * 4 + h * 64];
                y[h] = *(const four *)&bs[slice][k][t % 16 * 4 + h * 64];
              }
              #pragma unroll
              for (int i = 0; i < 4 * HALVES; i++)
                #pragma unroll
                for (int j = 0; j < 4 * HALVES; j++)
                  sum[i][j] = sum[i][j] + x[i / 4].v[i % 4] * y[j / 4].v[j % 4];
            }
          }
          if (more) {
            slice ^= 1;
            STORE_A
            STORE_B
            __syncthreads();
          }
        }
        #pragma unroll
        for (int i = 0; i < 4 * HALVES; i++)
          #pragma unroll
          for (int j = 0; j < 4 * HALVES; COLUMNS_OF_THREAD) FINISH
        #undef ROW
        #undef COLUMN
      """;
}
