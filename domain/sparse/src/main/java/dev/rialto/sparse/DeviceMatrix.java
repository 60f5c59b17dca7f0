package dev.rialto.sparse;

import dev.rialto.array.Array;
import dev.rialto.sparse.local.Csr;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.PartialSums;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.SparseKernels;
import dev.rialto.spi.device.SparseKernels.Storage;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a matrix in the memory of a device, made by {@link SparseMatrix#copyTo} or {@link
 * SparseDevice#matrix}. Its vectors are arrays there, or anywhere, which are copied then.
 *
 * <p>It is kept in two parts like its original: a product works on the columns this rank owns while
 * the halo travels. The transpose is a matrix of its own, made when a product with it is first
 * asked for; so is a copy for several vectors at once, where the kernels of the device's backend
 * take one. Owned by the caller.
 */
public final class DeviceMatrix implements LinearOperator, AutoCloseable {
  private final SparseDevice home;
  private final SparseMatrix host;
  private final int version;
  private final Format format;
  private final Part own;
  private final Part halo;
  private final boolean alone;

  /** Whether the device is closed with this. */
  private final boolean ownsHome;

  private @Nullable DeviceMatrix transpose;

  DeviceMatrix(SparseDevice home, boolean ownsHome, SparseMatrix host, Format format) {
    if (format != Format.CSR && format != Format.SELL) {
      throw new UnsupportedOperationException(
          "format " + format + " on " + home.device().name() + "; choose CSR or SELL");
    }
    this.home = home;
    this.ownsHome = ownsHome;
    this.host = host;
    this.version = host.version();
    this.format = format;
    this.alone = host.map().comm().size() == 1;
    this.own = new Part(host.own(), format == Format.CSR ? Storage.ROWS : Storage.SLICES);
    this.halo = new Part(host.halo().withoutEmptyRows(), Storage.ROWS);
  }

  /** The rows in some of the columns. */
  private final class Part implements AutoCloseable {
    private final Csr entries;
    private final Storage storage;
    private final SparseKernels.Rows rows;

    /** The rows for several vectors; made when they are first needed. */
    private @Nullable JavaRows wide;

    Part(Csr entries, Storage storage) {
      this.entries = entries;
      this.storage = storage;
      this.rows = rows(home.kernels());
      this.wide = rows instanceof JavaRows java ? java : null;
    }

    private SparseKernels.Rows rows(SparseKernels kernels) {
      return kernels.rows(
          entries.type(),
          storage,
          MemorySegment.ofArray(entries.starts()),
          MemorySegment.ofArray(entries.columnIndex()),
          entries.values().memory(),
          entries.rowIndex());
    }

    /** Makes what products with so many vectors need. */
    void require(int width) {
      if (width > 1 && wide == null) {
        requireCurrent();
        wide = (JavaRows) rows(home.java());
      }
    }

    void multiply(double a, MemorySegment x, double b, MemorySegment y, int width) {
      JavaRows several = wide;
      if (width == 1 || several == null) {
        rows.multiply(a, x, b, y, home.stream());
      } else {
        several.multiply(a, x, b, y, width, home.stream());
      }
    }

    @Override
    public void close() {
      rows.close();
      if (wide != null && wide != rows) {
        wide.close();
      }
    }
  }

  /** Refuses to copy more of a matrix whose values have changed since. */
  private void requireCurrent() {
    if (host.version() != version) {
      throw new IllegalStateException(
          "the matrix has other values than this copy of it; make another copy");
    }
  }

  /** Returns where it is. */
  public SparseDevice home() {
    return home;
  }

  /** Returns how the columns that this rank owns are stored. */
  public Format format() {
    return format;
  }

  @Override
  public IndexMap map() {
    return host.map();
  }

  @Override
  public DType type() {
    return host.type();
  }

  @Override
  public MultiVector vector() {
    return new MultiVector(map(), type(), 1, home);
  }

  /** Returns the bytes a product of this rank reads and writes at least, vectors included. */
  public long bytesPerProduct() {
    return own.rows.bytes() + halo.rows.bytes() + type().bytes(2L * map().owned());
  }

  @Override
  public double normInf() {
    return host.normInf();
  }

  /**
   * Multiplies; the first product with the transpose makes it, which is collective.
   *
   * @throws UnsupportedOperationException if there are several vectors and Java is not compiled for
   *     the device
   */
  @Override
  public void apply(Op op, Scalar a, MultiVector x, Scalar b, MultiVector y) {
    ProductRules.require(this, home, a, x, b, y);
    if (op == Op.NONE) {
      product(a, x, b, y);
      return;
    }
    DeviceMatrix turned = transposed();
    try (MultiVector in = x.with(turned.map())) {
      turned.product(a, in, b, y);
    }
  }

  private void product(Scalar a, MultiVector x, Scalar b, MultiVector y) {
    ProductRules.requireHalo(this, x);
    int width = x.width();
    own.require(width);
    halo.require(width);
    if (!alone) {
      x.startHalo();
    }
    own.multiply(a.re(), x.memory(), b.re(), y.memory(), width);
    if (!alone) {
      x.awaitHalo();
      halo.multiply(a.re(), x.haloMemory(), 1, y.memory(), width);
    }
  }

  /** Returns the transpose, which is the adjoint: elements are real. */
  private DeviceMatrix transposed() {
    DeviceMatrix made = transpose;
    if (made == null) {
      requireCurrent();
      SparseMatrix turned = host.transposed(Op.TRANSPOSE);
      made = new DeviceMatrix(home, false, turned, SparseDevice.format(turned));
      transpose = made;
    }
    return made;
  }

  /** Returns an array of the device as a vector, without a copy; others are copied. */
  @Override
  public MultiVector view(Array array, boolean writes) {
    map().arrays().width(array, type());
    return ArrayVectors.on(home, map(), array, writes);
  }

  /** Sums up as the product goes, if the sum stays on the device. */
  @Override
  public void applyDot(MultiVector x, MultiVector y, PartialSums out, int at) {
    if (!(out instanceof DeviceNumbers.Parts parts) || x.width() > 1 || !x.isWhole()) {
      LinearOperator.super.applyDot(x, y, out, at);
      return;
    }
    ProductRules.require(this, home, Scalar.ONE, x, Scalar.ZERO, y);
    ProductRules.requireHalo(this, x);
    MemorySegment sum = parts.place(at);
    if (!alone) {
      x.startHalo();
    }
    own.rows.multiplyDot(x.memory(), y.memory(), false, sum, home.stream());
    if (!alone) {
      x.awaitHalo();
      halo.rows.multiplyDot(x.memory(), y.memory(), true, sum, home.stream());
    }
  }

  @Override
  public void close() {
    home.stream().await();
    if (transpose != null) {
      transpose.close();
    }
    own.close();
    halo.close();
    if (ownsHome) {
      home.close();
    }
  }
}
