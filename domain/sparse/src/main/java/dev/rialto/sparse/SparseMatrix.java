package dev.rialto.sparse;

import dev.rialto.array.Array;
import dev.rialto.array.IndexSpace;
import dev.rialto.exchange.plan.Overlap;
import dev.rialto.sparse.local.Csr;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.local.FormatChoice;
import dev.rialto.sparse.local.LocalMatrix;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.PartialSums;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.local.Values;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A square matrix whose rows are distributed as the elements of arrays are.
 *
 * {@snippet :
 * F64Array x = team.f64(100);
 * SparseMatrix a =
 *     SparseMatrix.on(x.space(), DType.F64).add(0, 0, 4.0).add(0, 1, -1.0).assemble();
 * a.multiply(x, y);
 * }
 *
 * <p>Each rank keeps its rows in two parts: the columns it owns, in any {@link Format}, and those
 * of others, which concern few rows. A product works on the first part while the halo travels, and
 * adds the second when it is there: whatever the scheme and the format, the bits are the same. If
 * its map asks for {@linkplain IndexMap#reproducible reproducible} results a product adds each row
 * in the order of global columns, and a transposed one is a product with the transpose: the bits
 * are the same for any owners. That keeps a copy of the matrix, and of its transpose where that is
 * asked for, made when they are first needed.
 */
public final class SparseMatrix implements LinearOperator {
  private final IndexMap map;
  private final Csr own;
  private final Csr halo;
  private final Csr haloRows;
  private final Map<Op, OrderedRows> ordered = new EnumMap<>(Op.class);
  private final Map<SparseDevice, DeviceMatrix> copies = new HashMap<>();
  private LocalMatrix fast;

  /** The number of times that values were replaced. */
  private int version;

  SparseMatrix(IndexMap map, Csr own, Csr halo, Format format) {
    this.map = map;
    this.own = own;
    this.halo = halo;
    this.haloRows = halo.withoutEmptyRows();
    this.fast = own.to(format);
  }

  /**
   * Starts a matrix whose rows and columns are the elements of arrays of a space, numbered in
   * row-major order; {@link IndexSpace#element} tells which is whose. Collective.
   */
  public static MatrixBuilder on(IndexSpace rows, DType type) {
    return on(IndexMap.of(rows).assemble(), type);
  }

  /** Starts a matrix whose rows and columns are those of a map. */
  public static MatrixBuilder on(IndexMap rows, DType type) {
    return new MatrixBuilder(rows, type);
  }

  /**
   * Returns the copy on the device that arrays of a space are on, which products and solvers with
   * such arrays use: made when it is first needed, in the format that suits its rows. It is closed
   * with the team, or by the caller. Collective.
   *
   * @throws UnsupportedOperationException if the device has no kernels for sparse matrices, or the
   *     space is on the host
   */
  public DeviceMatrix copyTo(IndexSpace space) {
    SparseDevice home = SparseDevice.of(space);
    DeviceMatrix known = copies.get(home);
    if (known != null && known.isCurrent()) {
      return known;
    }
    return keep(home, DeviceMatrix.bestFormat(this));
  }

  /**
   * Makes the copy on a device in a format; see {@link #copyTo(IndexSpace)}.
   *
   * @throws UnsupportedOperationException if the format is neither CSR nor SELL
   */
  public DeviceMatrix copyTo(IndexSpace space, Format format) {
    return keep(SparseDevice.of(space), format);
  }

  private DeviceMatrix keep(SparseDevice home, Format format) {
    DeviceMatrix made = new DeviceMatrix(home, this, format);
    DeviceMatrix before = copies.put(home, made);
    if (before != null) {
      before.close();
    }
    return made;
  }

  @Override
  public IndexMap map() {
    return map;
  }

  @Override
  public DType type() {
    return own.type();
  }

  /** Returns the format of the columns this rank owns. */
  public Format format() {
    return fast.format();
  }

  /** Converts the columns each rank owns to another format. */
  public void format(Format format) {
    fast = own.to(format);
  }

  /** Times every format that fits on this rank and keeps the fastest. Not collective. */
  public Format chooseFormat() {
    fast = FormatChoice.fastest(own);
    return fast.format();
  }

  /** Returns this rank's rows in the columns it owns. */
  public Csr own() {
    return own;
  }

  /** Returns this rank's rows in the columns of others, numbered as the map's locals. */
  public Csr halo() {
    return halo;
  }

  /** Returns how many entries the matrix has; shared rows count once. Collective. */
  public long entries() {
    long mine = own.entries() + halo.entries();
    for (int row : map.copies()) {
      mine -= own.starts()[row + 1] - own.starts()[row];
      mine -= halo.starts()[row + 1] - halo.starts()[row];
    }
    return map.comm().sum(mine);
  }

  /** Returns the bytes a product of this rank reads and writes at least, vectors included. */
  public long bytesPerProduct() {
    return fast.bytes() + haloRows.bytes() + type().bytes(2L * map.owned());
  }

  /** Multiplies arrays of the host, or of a device, to which the matrix follows them. */
  @Override
  public void apply(Op op, Scalar a, Array x, Scalar b, Array y) {
    if (y.isOnDevice()) {
      copyTo(y.space()).apply(op, a, x, b, y);
    } else {
      ProductRules.run(
          this, a, x, b, y, (in, out, width) -> multiply(op, a, in, b, out, width, null));
    }
  }

  @Override
  public void multiplyDot(Array x, Array y, Vectors vectors, PartialSums out, int at) {
    if (y.isOnDevice()) {
      copyTo(y.space()).multiplyDot(x, y, vectors, out, at);
    } else if (vectors.width() > 1 || map.isOverlapping() || map.isReproducible()) {
      LinearOperator.super.multiplyDot(x, y, vectors, out, at);
    } else {
      double[] dot = new double[2];
      ProductRules.run(
          this,
          Scalar.ONE,
          x,
          Scalar.ZERO,
          y,
          (in, to, width) -> multiply(Op.NONE, Scalar.ONE, in, Scalar.ZERO, to, width, dot));
      out.add(at, dot[0], dot[1]);
    }
  }

  private void multiply(
      Op op, Scalar a, Array x, Scalar b, Array y, int width, double @Nullable [] dot) {
    if (map.isReproducible()) {
      ordered(op).multiply(a, x, b, y, width);
    } else if (op == Op.NONE) {
      product(a, x, b, y, width, dot);
    } else if (map.isOverlapping()) {
      // Each row counts once, and so does what y had: where its master is.
      try (Vectors vectors = Vectors.of(map, y)) {
        Array once = vectors.vector();
        vectors.copy(x, once);
        vectors.clearCopies(once);
        vectors.clearCopies(y);
        transposed(op, a, once, b, y, width);
        vectors.updateOverlap(y, Overlap.Rule.SUM);
        once.close();
      }
    } else {
      transposed(op, a, x, b, y, width);
    }
  }

  /** Returns the rows of op(A), owned as the matrix is. Collective the first time. */
  private OrderedRows ordered(Op op) {
    OrderedRows rows = ordered.get(op);
    if (rows == null) {
      rows = op == Op.NONE ? OrderedRows.of(map, own, halo) : turned(op);
      ordered.put(op, rows);
    }
    return rows;
  }

  private OrderedRows turned(Op op) {
    SparseMatrix transpose = transposed(op);
    return OrderedRows.of(transpose.map, transpose.own, transpose.halo);
  }

  /** Makes the transpose, or the adjoint, whose rows have the same owners. Collective. */
  SparseMatrix transposed(Op op) {
    MatrixBuilder builder = new MatrixBuilder(map, type());
    for (int row = 0; row < own.rows(); row++) {
      for (Csr part : new Csr[] {own, halo}) {
        for (int k = part.starts()[row]; map.isMaster(row) && k < part.starts()[row + 1]; k++) {
          Scalar value = new Scalar(part.values().re(k), part.values().im(k));
          builder.add(
              map.global(part.columnIndex()[k]),
              map.global(row),
              op == Op.ADJOINT ? value.conjugate() : value);
        }
      }
    }
    return builder.assemble();
  }

  private void product(Scalar a, Array x, Scalar b, Array y, int width, double @Nullable [] dot) {
    long in = x.local().address();
    long out = y.local().address();
    HaloUpdate halo = HaloUpdate.start(map, null, type(), width, x.local());
    for (int i = 0; i < width; i++) {
      fast.multiply(Op.NONE, a, column(in, i), b, column(out, i), width, dot);
    }
    long others = halo.await();
    for (int i = 0; i < width; i++) {
      haloRows.addRows(a, column(others, i), column(in, i), column(out, i), width, dot);
    }
    halo.end();
    if (map.isOverlapping()) {
      // The owners of a row sum it in different orders; what the master has is the result.
      try (Vectors vectors = Vectors.of(map, y)) {
        vectors.updateOverlap(y, Overlap.Rule.MASTER);
      }
    }
  }

  private void transposed(Op op, Scalar a, Array x, Scalar b, Array y, int width) {
    long in = x.local().address();
    long out = y.local().address();
    HaloMemory.Kind kind = new HaloMemory.Kind(map, type(), width);
    MemorySegment others = map.arrays().halos().take(kind);
    others.asSlice(type().bytes((long) map.owned() * width)).fill((byte) 0);
    for (int i = 0; i < width; i++) {
      fast.multiply(op, a, column(in, i), b, column(out, i), width, null);
      // Scaling by 1 leaves what is there.
      long to = column(others.address(), i);
      haloRows.multiply(op, a, column(in, i), Scalar.ONE, to, width, null);
    }
    map.addingExchange(type(), width).run(others, y.local());
    map.arrays().halos().giveBack(kind, others);
  }

  private long column(long address, int i) {
    return address + type().bytes(i);
  }

  /** Returns the diagonal of this rank's rows; 0 where there is no entry. */
  public Values diagonal() {
    Values diagonal = Values.zeros(type(), own.rows());
    for (int row = 0; row < own.rows(); row++) {
      int at = own.find(row, row);
      if (at >= 0) {
        diagonal.set(row, own.values().re(at), own.values().im(at));
      }
    }
    return diagonal;
  }

  @Override
  public double normInf() {
    if (map.isReproducible()) {
      return map.sums().max(ordered(Op.NONE).largestRow());
    }
    double[] sums = new double[own.rows()];
    for (Csr part : new Csr[] {own, halo}) {
      for (int row = 0; row < own.rows(); row++) {
        for (int k = part.starts()[row]; k < part.starts()[row + 1]; k++) {
          sums[row] += new Scalar(part.values().re(k), part.values().im(k)).abs();
        }
      }
    }
    return map.sums().max(Arrays.stream(sums).max().orElse(0));
  }

  /**
   * Values that are to replace those of a matrix.
   *
   * @param problem why they cannot; empty if they can
   */
  record NewValues(Values own, Values halo, String problem) {}

  /** Makes values of entries of rows this rank owns. */
  NewValues newValues(Entries entries, Duplicates duplicates) {
    Values ownValues = Values.zeros(type(), own.values().size());
    Values haloValues = Values.zeros(type(), halo.values().size());
    boolean[] seen = new boolean[ownValues.size() + haloValues.size()];
    for (int k = 0; k < entries.count; k++) {
      int row = map.local(entries.rows[k]);
      int column = map.local(entries.columns[k]);
      boolean inside = column < map.owned();
      int at = column < 0 ? -1 : (inside ? own : halo).find(row, column);
      if (at < 0) {
        String problem =
            "entry (%d, %d) is not in the pattern; assemble a new matrix"
                .formatted(entries.rows[k], entries.columns[k]);
        return new NewValues(ownValues, haloValues, problem);
      }
      Values values = inside ? ownValues : haloValues;
      int place = inside ? at : ownValues.size() + at;
      if (!seen[place] || duplicates == Duplicates.OVERWRITE) {
        values.set(at, entries.re[k], entries.im(k));
      } else if (duplicates == Duplicates.ADD) {
        values.add(at, entries.re[k], entries.im(k));
      } else {
        String problem = MatrixBuilder.givenTwice(entries.rows[k], entries.columns[k]);
        return new NewValues(ownValues, haloValues, problem);
      }
      seen[place] = true;
    }
    return new NewValues(ownValues, haloValues, "");
  }

  /** Returns a number that is another when the values are. */
  int version() {
    return version;
  }

  void replace(NewValues values) {
    own.values().copyAll(values.own());
    halo.values().copyAll(values.halo());
    ordered.clear();
    version++;
    fast = own.to(fast.format());
  }

  /**
   * Adds layers of neighbouring rows, as overlapping methods need them. Collective.
   *
   * @param layers how many steps from row to row in the pattern; 0 for this rank's rows alone
   */
  public ExtendedRows extend(int layers) {
    return ExtendedRows.of(map, own, halo, layers);
  }
}
