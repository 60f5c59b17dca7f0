package dev.rialto.cli.solve;

import dev.rialto.array.Array;
import dev.rialto.sparse.IndexMap;
import dev.rialto.sparse.LinearOperator;
import dev.rialto.sparse.Vectors;
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
  public void apply(Op op, Scalar a, Array x, Scalar b, Array y) {
    long start = System.nanoTime();
    operator.apply(op, a, x, b, y);
    count(start);
  }

  @Override
  public void multiplyDot(Array x, Array y, Vectors vectors, PartialSums out, int at) {
    long start = System.nanoTime();
    operator.multiplyDot(x, y, vectors, out, at);
    count(start);
  }

  private void count(long start) {
    nanos += System.nanoTime() - start;
    products++;
  }
}
