package dev.rialto.sparse;

import dev.rialto.array.Array;
import dev.rialto.sparse.device.DeviceNumbers;
import dev.rialto.sparse.device.DeviceRows;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.PartialSums;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.spi.data.DType;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a matrix in the memory of a device, made by {@link SparseMatrix#copyTo} or {@link
 * SparseDevice#matrix}. Its vectors are arrays there, or anywhere, which are copied then.
 *
 * <p>It is kept in two parts like its original: a product works on the columns this rank owns while
 * the halo travels. The transpose is a matrix of its own, made when a product with it is first
 * asked for. Owned by the caller.
 */
public final class DeviceMatrix implements LinearOperator, AutoCloseable {
  private final SparseDevice home;
  private final SparseMatrix host;
  private final int version;
  private final Format format;
  private final DeviceRows own;
  private final DeviceRows halo;
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
    this.own = new DeviceRows(home.kernels(), host.own(), format == Format.SELL);
    this.halo = new DeviceRows(home.kernels(), host.halo().withoutEmptyRows(), false);
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
    return own.bytes() + halo.bytes() + type().bytes(2L * map().owned());
  }

  @Override
  public double normInf() {
    return host.normInf();
  }

  /** Multiplies; the first product with the transpose makes it, which is collective. */
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
    if (!alone) {
      x.startHalo();
    }
    own.multiply(a.re(), x.address(), b.re(), y.writable(), width);
    if (!alone) {
      x.awaitHalo();
      halo.multiply(a.re(), x.haloAddress(), 1, y.writable(), width);
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
    if (!alone) {
      x.startHalo();
    }
    own.multiplyDot(x.address(), y.writable(), false, parts, at);
    if (!alone) {
      x.awaitHalo();
      halo.multiplyDot(x.address(), y.writable(), true, parts, at);
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
