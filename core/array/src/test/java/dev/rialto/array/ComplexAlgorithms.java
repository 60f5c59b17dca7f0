package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.Capability;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.BinaryOperator;
import java.util.stream.IntStream;

/**
 * The algorithms on random complex arrays, compared with plain loops. Parts are small integers, so
 * that no sum depends on the order of additions and none is rounded.
 */
final class ComplexAlgorithms {
  private static final Complex ZERO = new Complex(0, 0);

  private final Team team;
  private final Random random;
  private final Algorithms way;
  private final DType type;
  private final Shape shape;

  private ComplexAlgorithms(Team team, Random random, Algorithms way) {
    this.team = team;
    this.random = random;
    this.way = way;
    this.type = random.nextBoolean() ? DType.C128 : DType.C64;
    this.shape = Shape.of(random.nextInt(9), random.nextInt(1, 12));
  }

  static void run(Team team, Random random, Algorithms way) {
    ComplexAlgorithms algorithms = new ComplexAlgorithms(team, random, way);
    Complex[] a = algorithms.values();
    Complex[] b = algorithms.values();
    try (DistributedArray first = algorithms.array(a);
        DistributedArray second = algorithms.array(b);
        DistributedArray out = Sample.array(team, random, algorithms.type, algorithms.shape)) {
      algorithms.elements(first, a);
      algorithms.transforms(first, second, out, a, b);
      algorithms.reductions(first, second, a, b);
      algorithms.searches(first, a);
      algorithms.scans(first, out, a);
    }
  }

  private Complex[] values() {
    return IntStream.range(0, (int) shape.count())
        .mapToObj(_ -> new Complex(random.nextInt(-9, 9), random.nextInt(-9, 9)))
        .toArray(Complex[]::new);
  }

  private DistributedArray array(Complex[] values) {
    DistributedArray array = Sample.array(team, random, type, shape);
    var _ = way.done(Elementwise.generate(array, Generator.ofComplex(i -> values[(int) i])));
    return array;
  }

  /** Compares the elements that this rank holds, visited one by one. */
  private void compare(DistributedArray array, Complex[] expected) {
    Complex[] seen = new Complex[expected.length];
    Visitor visitor = Visitor.ofComplex((i, value) -> seen[(int) i] = value);
    var _ = way.done(Elementwise.forEach(array, visitor));
    int visited = 0;
    for (int i = 0; i < seen.length; i++) {
      if (seen[i] != null) {
        assertThat(seen[i]).as("element %d", i).isEqualTo(expected[i]);
        visited++;
      }
    }
    assertThat(visited).as("elements visited").isEqualTo((int) array.owned().count());
  }

  private void elements(DistributedArray array, Complex[] values) {
    compare(array, values);
    if (values.length == 0 || !team.communicator().capabilities().contains(Capability.WINDOWS)) {
      return;
    }
    array.synchronize();
    int last = values.length - 1;
    assertThat(array.get(shape.extent(0) - 1, shape.extent(1) - 1).asComplex())
        .isEqualTo(values[last]);
    array.synchronize();
    if (team.communicator().rank() == 0) {
      values[0] = new Complex(3, -4);
      array.put(values[0], 0, 0);
    }
    values[0] = new Complex(3, -4);
    array.synchronize();
    compare(array, values);
  }

  private void transforms(
      DistributedArray first,
      DistributedArray second,
      DistributedArray out,
      Complex[] a,
      Complex[] b) {
    var _ = way.done(Elementwise.transform(first, out, Mapping.ofComplex(z -> z.times(z))));
    compare(out, mapped(a, (x, _) -> x.times(x), b));
    Operator difference = Operator.ofComplex((x, y) -> x.minus(y.conjugate()));
    var _ = way.done(Elementwise.transform(first, second, out, difference));
    compare(out, mapped(a, (x, y) -> x.minus(y.conjugate()), b));
    Complex value = new Complex(-2, 5);
    var _ = way.done(Elementwise.fill(out, value));
    compare(out, mapped(a, (_, _) -> value, b));
    var _ = way.done(Elementwise.fill(out, 7));
    compare(out, mapped(a, (_, _) -> new Complex(7, 0), b));
  }

  private static Complex[] mapped(Complex[] a, BinaryOperator<Complex> f, Complex[] b) {
    return IntStream.range(0, a.length).mapToObj(i -> f.apply(a[i], b[i])).toArray(Complex[]::new);
  }

  private void reductions(
      DistributedArray first, DistributedArray second, Complex[] a, Complex[] b) {
    if (a.length == 0) {
      return;
    }
    assertSum(Reduce.of(first, Operator.SUM), a);
    Operator last = Operator.ofComplex((_, y) -> y);
    assertThat(way.done(Reduce.of(first, last)).asComplex()).isEqualTo(a[a.length - 1]);
    Mapping turned = Mapping.ofComplex(z -> new Complex(-z.im(), z.re()));
    assertSum(
        Reduce.transformed(first, turned, Operator.SUM),
        mapped(a, (x, _) -> new Complex(-x.im(), x.re()), b));
    assertSum(Reduce.dot(first, second), mapped(a, Complex::times, b));
    Operator conjugated = Operator.ofComplex((x, y) -> x.conjugate().times(y));
    assertSum(
        Reduce.transformed(first, second, conjugated, Operator.SUM),
        mapped(a, (x, y) -> x.conjugate().times(y), b));
  }

  /** Compares sums; adding zero makes negative zeros positive ones, as some order of sums does. */
  private void assertSum(Operation<Scalar> operation, Complex[] terms) {
    assertThat(way.done(operation).asComplex().plus(ZERO))
        .isEqualTo(Arrays.stream(terms).reduce(ZERO, Complex::plus));
  }

  private void searches(DistributedArray array, Complex[] values) {
    double bound = random.nextInt(160);
    Condition large = Condition.ofComplex(z -> z.squaredAbs() > bound);
    int[] met =
        IntStream.range(0, values.length).filter(i -> values[i].squaredAbs() > bound).toArray();
    assertThat(way.done(Search.find(array, large)))
        .isEqualTo(met.length == 0 ? OptionalLong.empty() : OptionalLong.of(met[0]));
    assertThat(way.done(Search.count(array, large))).isEqualTo(met.length);
    assertThat(way.done(Search.all(array, large))).isEqualTo(met.length == values.length);
    assertThat(way.done(Search.any(array, large))).isEqualTo(met.length > 0);
    assertThat(way.done(Search.none(array, large))).isEqualTo(met.length == 0);
  }

  private void scans(DistributedArray array, DistributedArray out, Complex[] values) {
    // Composing maps x -> ax + b modulo 97, coded as numbers a + bi: associative, not commutative.
    Complex[] maps =
        Arrays.stream(values)
            .map(z -> new Complex(z.re() + 10, z.im() + 10))
            .toArray(Complex[]::new);
    var _ =
        way.done(
            Elementwise.transform(
                array, array, Mapping.ofComplex(z -> new Complex(z.re() + 10, z.im() + 10))));
    Operator compose = Operator.ofComplex(ComplexAlgorithms::compose);
    Complex[] running = maps.clone();
    for (int i = 1; i < running.length; i++) {
      running[i] = compose(running[i - 1], running[i]);
    }
    var _ = way.done(Scan.inclusive(array, out, compose));
    compare(out, running);
    Complex start = new Complex(2, 3);
    Complex[] before = new Complex[maps.length];
    for (int i = 0; i < before.length; i++) {
      before[i] = i == 0 ? start : compose(before[i - 1], maps[i - 1]);
    }
    var _ = way.done(Scan.exclusive(array, array, start, compose));
    compare(array, before);
  }

  private static Complex compose(Complex x, Complex y) {
    return new Complex(y.re() * x.re() % 97, (y.re() * x.im() + y.im()) % 97);
  }
}
