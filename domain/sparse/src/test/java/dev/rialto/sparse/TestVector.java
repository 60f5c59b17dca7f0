package dev.rialto.sparse;

import dev.rialto.array.Array;
import dev.rialto.array.IndexSpace;
import dev.rialto.exchange.plan.Overlap;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.local.Values;
import dev.rialto.spi.data.DType;
import java.util.function.Function;
import java.util.function.LongToDoubleFunction;

/**
 * An array of any type with its elements by local index, wherever it is, and the arithmetic that
 * tests do with it.
 *
 * @param map what it is a vector of
 */
public record TestVector(IndexMap map, Array array) implements AutoCloseable {
  /** Makes zeros. */
  public TestVector(IndexMap map, DType type) {
    this(map, map.space().array(type));
  }

  /** Makes zeros, of several vectors. */
  public TestVector(IndexMap map, DType type, int width) {
    this(map, (width == 1 ? map.space() : map.space(width)).array(type));
  }

  /** Makes zeros for an operator. */
  public static TestVector of(LinearOperator a) {
    return new TestVector(a.map(), a.type());
  }

  /** Makes zeros where arrays of a space are. */
  public static TestVector in(IndexSpace space, IndexMap map, DType type) {
    return new TestVector(map, map.space().on(space.client()).array(type));
  }

  /** Makes a vector of zeros like this. */
  public TestVector like() {
    return new TestVector(map, array.like());
  }

  private int width() {
    return map.width(array, array.type());
  }

  private Values values() {
    Values values = Values.zeros(array.type(), (long) map.owned() * width());
    array.copyTo(values.memory());
    return values;
  }

  /** Returns an element. */
  public Scalar get(int local) {
    return get(local, 0);
  }

  /** Returns an element of one of several vectors. */
  public Scalar get(int local, int vector) {
    Values values = values();
    int at = local * width() + vector;
    return new Scalar(values.re(at), values.im(at));
  }

  /** Sets an element of one of several vectors. */
  public void set(int local, int vector, Scalar value) {
    Values values = values();
    values.set(local * width() + vector, value.re(), value.im());
    array.copyFrom(values.memory());
  }

  /** Sets elements by their global index. */
  public TestVector setAll(LongToDoubleFunction function) {
    Values values = values();
    for (int i = 0; i < map.owned(); i++) {
      values.set(i, function.applyAsDouble(map.global(i)), 0);
    }
    array.copyFrom(values.memory());
    return this;
  }

  /** Does something with the arithmetic of the array. */
  public <T> T with(Function<Vectors, T> work) {
    try (Vectors vectors = Vectors.of(map, array)) {
      return work.apply(vectors);
    }
  }

  /** Sets all elements. */
  public TestVector fill(Scalar value) {
    with(v -> v.fill(array, value));
    return this;
  }

  /** Takes the elements of another, here or elsewhere. */
  public TestVector copy(TestVector other) {
    array.copyFrom(other.values().memory());
    return this;
  }

  /** Sets this to {@code a x + b this}. */
  public TestVector axpby(Scalar a, TestVector x, Scalar b) {
    with(v -> v.axpby(a, x.array, b, array));
    return this;
  }

  /** Sets this to {@code a x + b y + c this}. */
  public TestVector axpbypcz(Scalar a, TestVector x, Scalar b, TestVector y, Scalar c) {
    with(v -> v.axpbypcz(a, x.array, b, y.array, c, array));
    return this;
  }

  /** Multiplies by a number. */
  public TestVector scale(Scalar a) {
    with(v -> v.scale(a, array));
    return this;
  }

  /** Makes elements agree that several ranks own. */
  public void updateOverlap(Overlap.Rule rule) {
    with(
        v -> {
          v.updateOverlap(array, rule);
          return this;
        });
  }

  /** Returns a product over all ranks. */
  public Scalar dot(TestVector y) {
    return with(v -> v.dot(array, y.array));
  }

  /** Returns the products of each vector. */
  public Scalar[] dotEach(TestVector y) {
    return with(v -> v.dotEach(array, y.array));
  }

  /** Returns the Euclidean norm. */
  public double norm2() {
    return with(v -> v.norm2(array));
  }

  /** Returns the largest absolute value. */
  public double normInf() {
    return with(v -> v.normInf(array));
  }

  /** Returns the sum of absolute values. */
  public double norm1() {
    return with(v -> v.norm1(array));
  }

  @Override
  public void close() {
    array.close();
  }
}
