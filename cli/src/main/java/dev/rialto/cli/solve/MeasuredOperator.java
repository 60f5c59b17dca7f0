package dev.rialto.cli.solve;

import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.LinearOperator;
import dev.rialto.sparse.MultiVector;
import dev.rialto.sparse.local.Op;
import dev.rialto.sparse.local.PartialSums;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.spi.data.DType;

/** Counts and times the products of an operator. */
final class MeasuredOperator implements LinearOperator {
  private final LinearOperator operator;
  private int products;
  private long nanos;

  MeasuredOperator(LinearOperator operator) {
    this.operator = operator;
  }

  int products() {
    return products;
  }

  double seconds() {
    return nanos * 1e-9;
  }

  @Override
  public IndexMap map() {
    return operator.map();
  }

  @Override
  public DType type() {
    return operator.type();
  }

  @Override
  public double normInf() {
    return operator.normInf();
  }

  @Override
  public void apply(Op op, Scalar a, MultiVector x, Scalar b, MultiVector y) {
    long start = System.nanoTime();
    operator.apply(op, a, x, b, y);
    count(start);
  }

  @Override
  public void applyDot(MultiVector x, MultiVector y, PartialSums out, int at) {
    long start = System.nanoTime();
    operator.applyDot(x, y, out, at);
    count(start);
  }

  private void count(long start) {
    nanos += System.nanoTime() - start;
    products++;
  }
}
