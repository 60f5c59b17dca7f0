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

/**
 * A copy of a matrix in the memory of a device, made by {@link SparseMatrix#copyTo} or {@link
 * SparseDevice#matrix}. Its vectors are arrays there, or anywhere, which are copied then.
 *
 * <p>It is kept in two parts like its original: a product works on the columns this rank owns while
 * the halo travels. Only products with the matrix itself are there, not with its transpose. Owned
 * by the caller.
 */
public final class DeviceMatrix implements LinearOperator, AutoCloseable {
  private final SparseDevice home;
  private final SparseMatrix host;
  private final Format format;
  private final SparseKernels.Rows own;
  private final SparseKernels.Rows halo;
  private final boolean alone;

  /** Whether the device is closed with this. */
  private final boolean ownsHome;

  DeviceMatrix(SparseDevice home, boolean ownsHome, SparseMatrix host, Format format) {
    if (format != Format.CSR && format != Format.SELL) {
      throw new UnsupportedOperationException(
          "format " + format + " on " + home.device().name() + "; choose CSR or SELL");
    }
    this.home = home;
    this.ownsHome = ownsHome;
    this.host = host;
    this.format = format;
    this.alone = host.map().comm().size() == 1;
    this.own = rows(host.own(), format == Format.CSR ? Storage.ROWS : Storage.SLICES);
    this.halo = rows(host.halo().withoutEmptyRows(), Storage.ROWS);
  }

  private SparseKernels.Rows rows(Csr part, Storage storage) {
    return home.kernels()
        .rows(
            part.type(),
            storage,
            MemorySegment.ofArray(part.starts()),
            MemorySegment.ofArray(part.columnIndex()),
            part.values().memory(),
            part.rowIndex());
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
    return own.bytes() + halo.bytes() + type().bytes(2L * map().owned());
  }

  @Override
  public double normInf() {
    return host.normInf();
  }

  @Override
  public void apply(Op op, Scalar a, MultiVector x, Scalar b, MultiVector y) {
    if (op != Op.NONE) {
      throw new UnsupportedOperationException(
          "products with the transpose on "
              + home.device().name()
              + "; choose a solver that needs none, such as bicgstab");
    }
    require(a, x, b, y);
    if (!alone) {
      x.startHalo();
    }
    own.multiply(a.re(), x.memory(), b.re(), y.memory(), home.stream());
    if (!alone) {
      x.awaitHalo();
      halo.multiply(a.re(), x.haloMemory(), 1, y.memory(), home.stream());
    }
  }

  /** Works on arrays of the device themselves; others are copied. */
  @Override
  public void apply(Op op, Scalar a, Array x, Scalar b, Array y) {
    if (x.overlaps(y) || !isPlain(x) || !isPlain(y)) {
      LinearOperator.super.apply(op, a, x, b, y);
      return;
    }
    try (MultiVector in = MultiVector.over(home, map(), x, false);
        MultiVector out = MultiVector.over(home, map(), y, true)) {
      apply(op, a, in, b, out);
    }
  }

  /** Returns whether an array is one vector without gaps on this device. */
  private boolean isPlain(Array array) {
    return map().arrays().width(array, type()) == 1
        && ArrayFit.isDense(array)
        && array.isOnDevice()
        && array.space().client().device().name().equals(home.device().name());
  }

  /** Sums up as the product goes, if the sum stays on the device. */
  @Override
  public void applyDot(MultiVector x, MultiVector y, PartialSums out, int at) {
    if (!(out instanceof DeviceNumbers.Parts parts)) {
      LinearOperator.super.applyDot(x, y, out, at);
      return;
    }
    require(Scalar.ONE, x, Scalar.ZERO, y);
    MemorySegment sum = parts.place(at);
    if (!alone) {
      x.startHalo();
    }
    own.multiplyDot(x.memory(), y.memory(), false, sum, home.stream());
    if (!alone) {
      x.awaitHalo();
      halo.multiplyDot(x.memory(), y.memory(), true, sum, home.stream());
    }
  }

  private void require(Scalar a, MultiVector x, Scalar b, MultiVector y) {
    ProductRules.require(this, home, a, x, b, y, x);
    ProductRules.requireOne(x);
  }

  @Override
  public void close() {
    home.stream().await();
    own.close();
    halo.close();
    if (ownsHome) {
      home.close();
    }
  }
}
