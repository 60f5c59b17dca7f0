package dev.rialto.sparse;

import dev.rialto.array.Array;
import dev.rialto.sparse.device.ArrayLoans;
import dev.rialto.sparse.device.DeviceNumbers;
import dev.rialto.sparse.device.DeviceRows;
import dev.rialto.sparse.local.Format;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.PartialSums;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A copy of a matrix in the memory of a device, made by {@link SparseMatrix#copyTo}, for arrays
 * there.
 *
 * <p>It is kept in two parts like its original: a product works on the columns this rank owns while
 * the halo travels. The transpose is a matrix of its own, made when a product with it is first
 * asked for.
 */
public final class DeviceMatrix implements LinearOperator, AutoCloseable {
  /** More padding than this fraction of the entries makes rows cheaper than slices. */
  private static final double PADDING = 0.2;

  private final SparseDevice home;
  private final SparseMatrix host;
  private final int version;
  private final Format format;
  private final DeviceRows own;
  private final DeviceRows halo;
  private final boolean alone;

  private @Nullable DeviceMatrix transpose;
  private boolean closed;

  DeviceMatrix(SparseDevice home, SparseMatrix host, Format format) {
    if (format != Format.CSR && format != Format.SELL) {
      throw new UnsupportedOperationException(
          "format " + format + " on " + home.device().name() + "; choose CSR or SELL");
    }
    this.home = home;
    this.host = host;
    this.version = host.version();
    this.format = format;
    this.alone = host.map().comm().size() == 1;
    this.own = new DeviceRows(home.kernels(), host.own(), format == Format.SELL);
    this.halo = new DeviceRows(home.kernels(), host.halo().withoutEmptyRows(), false);
    home.keep(this);
  }

  /** Returns the format that suits a matrix's rows on a device. */
  static Format bestFormat(SparseMatrix host) {
    return DeviceRows.padding(host.own()) > PADDING ? Format.CSR : Format.SELL;
  }

  /** Returns whether it is open and has the values of its original. */
  boolean isCurrent() {
    return !closed && host.version() == version;
  }

  /** Refuses to copy more of a matrix whose values have changed since. */
  private void requireCurrent() {
    if (host.version() != version) {
      throw new IllegalStateException(
          "the matrix has other values than this copy of it; make another copy");
    }
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
  public void apply(Op op, Scalar a, Array x, Scalar b, Array y) {
    requireHere(y);
    ProductRules.run(
        this,
        a,
        x,
        b,
        y,
        (in, out, width) -> (op == Op.NONE ? this : transposed()).product(a, in, b, out, width));
  }

  private void requireHere(Array y) {
    if (closed) {
      throw new IllegalStateException("this copy of a matrix is closed; make another");
    }
    if (!home.has(y)) {
      throw new UnsupportedOperationException(
          "%s, with a matrix on %s; use the matrix itself, which follows its arrays"
              .formatted(y, home.device().name()));
    }
  }

  private void product(Scalar a, Array x, Scalar b, Array y, int width) {
    try (ArrayLoans loans = home.loans().open()) {
      long in = loans.address(x, true);
      long out = loans.address(y, !b.isZero());
      if (alone) {
        own.multiply(a.re(), in, b.re(), out, width);
        return;
      }
      HaloUpdate update = HaloUpdate.start(map(), home, type(), width, MemorySegment.ofAddress(in));
      own.multiply(a.re(), in, b.re(), out, width);
      halo.multiply(a.re(), update.await(), 1, out, width);
      update.end();
    }
  }

  /** Returns the transpose, which is the adjoint: elements are real. */
  private DeviceMatrix transposed() {
    DeviceMatrix made = transpose;
    if (made == null) {
      requireCurrent();
      SparseMatrix turned = host.transposed(Op.TRANSPOSE);
      made = new DeviceMatrix(home, turned, bestFormat(turned));
      transpose = made;
    }
    return made;
  }

  /** Sums up as the product goes, if the sum stays on the device and no halo is to be added. */
  @Override
  public void multiplyDot(Array x, Array y, Vectors vectors, PartialSums out, int at) {
    if (!(out instanceof DeviceNumbers.Parts parts) || vectors.width() > 1 || !alone) {
      LinearOperator.super.multiplyDot(x, y, vectors, out, at);
      return;
    }
    requireHere(y);
    ProductRules.run(
        this,
        Scalar.ONE,
        x,
        Scalar.ZERO,
        y,
        (in, to, _) -> {
          try (ArrayLoans loans = home.loans().open()) {
            own.multiplyDot(loans.address(in, true), loans.address(to, false), parts, at);
          }
        });
  }

  /** Gives the memory back. Collective. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    home.stream().await();
    if (transpose != null) {
      transpose.close();
    }
    own.close();
    halo.close();
    home.forget(this);
  }
}
