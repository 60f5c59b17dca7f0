package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.Capability;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.data.Shape;
import java.util.Arrays;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.BinaryOperator;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;

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
    try (ComplexArray first = algorithms.array(a);
        ComplexArray second = algorithms.array(b);
        ComplexArray out =
            (ComplexArray) Sample.array(team, random, algorithms.type, algorithms.shape)) {
      algorithms.elements(first, a);
      algorithms.transforms(first, second, out, a, b);
      algorithms.reductions(first, second, a, b);
      algorithms.searches(first, a);
      algorithms.scans(first, out, a);
      algorithms.rearrangements(second, out, b);
    }
  }

  private Complex[] values() {
    return IntStream.range(0, (int) shape.count())
        .mapToObj(_ -> new Complex(random.nextInt(-9, 9), random.nextInt(-9, 9)))
        .toArray(Complex[]::new);
  }

  private ComplexArray array(Complex[] values) {
    ComplexArray array = (ComplexArray) Sample.array(team, random, type, shape);
    way.does(() -> array.generate(i -> values[(int) i]), array);
    return array;
  }

  /** Compares the elements that this rank holds, visited one by one. */
  private void compare(ComplexArray array, Complex[] expected) {
    Complex[] seen = new Complex[expected.length];
    way.does(() -> array.forEach((i, value) -> seen[(int) i] = value), array);
    int visited = 0;
    for (int i = 0; i < seen.length; i++) {
      if (seen[i] != null) {
        assertThat(seen[i]).as("element %d", i).isEqualTo(expected[i]);
        visited++;
      }
    }
    assertThat(visited).as("elements visited").isEqualTo((int) array.owned().count());
  }

  private void elements(ComplexArray array, Complex[] values) {
    compare(array, values);
    if (values.length == 0 || !team.communicator().capabilities().contains(Capability.WINDOWS)) {
      return;
    }
    array.synchronize();
    int last = values.length - 1;
    assertThat(array.fetch(shape.extent(0) - 1, shape.extent(1) - 1)).isEqualTo(values[last]);
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
      ComplexArray first, ComplexArray second, ComplexArray out, Complex[] a, Complex[] b) {
    way.does(() -> out.set(first, z -> z.times(z)), first, out);
    compare(out, mapped(a, (x, _) -> x.times(x), b));
    way.does(() -> out.set(first, second, (x, y) -> x.minus(y.conjugate())), first, second, out);
    compare(out, mapped(a, (x, y) -> x.minus(y.conjugate()), b));
    Complex value = new Complex(-2, 5);
    way.does(() -> out.fill(value), out);
    compare(out, mapped(a, (_, _) -> value, b));
    way.does(() -> out.combine(v -> v[0].plus(v[1]).plus(v[0]), first, second), first, second, out);
    compare(out, mapped(a, (x, y) -> x.plus(y).plus(x), b));
  }

  private static Complex[] mapped(Complex[] a, BinaryOperator<Complex> f, Complex[] b) {
    return IntStream.range(0, a.length).mapToObj(i -> f.apply(a[i], b[i])).toArray(Complex[]::new);
  }

  private void reductions(ComplexArray first, ComplexArray second, Complex[] a, Complex[] b) {
    if (a.length == 0) {
      return;
    }
    assertSum(way.done(first::sum, first), a);
    assertThat(way.done(() -> first.reduce((_, y) -> y), first)).isEqualTo(a[a.length - 1]);
    assertSum(
        way.done(() -> first.reduce(z -> new Complex(-z.im(), z.re()), ReduceOp.SUM), first),
        mapped(a, (x, _) -> new Complex(-x.im(), x.re()), b));
    assertSum(
        way.done(() -> first.reduce(second, Complex::times, ReduceOp.SUM), first, second),
        mapped(a, Complex::times, b));
    assertSum(
        way.done(() -> first.dot(second), first, second),
        mapped(a, (x, y) -> x.conjugate().times(y), b));
    assertThat(first.norm())
        .isEqualTo(Math.sqrt(Arrays.stream(a).mapToDouble(Complex::squaredAbs).sum()));
  }

  /** Compares sums; adding zero makes negative zeros positive ones, as some order of sums does. */
  private static void assertSum(Complex sum, Complex[] terms) {
    assertThat(sum.plus(ZERO)).isEqualTo(Arrays.stream(terms).reduce(ZERO, Complex::plus));
  }

  private void searches(ComplexArray array, Complex[] values) {
    double bound = random.nextInt(160);
    Predicate<Complex> large = z -> z.squaredAbs() > bound;
    int[] met =
        IntStream.range(0, values.length).filter(i -> values[i].squaredAbs() > bound).toArray();
    assertThat(way.done(() -> array.find(large), array))
        .isEqualTo(met.length == 0 ? OptionalLong.empty() : OptionalLong.of(met[0]));
    assertThat(way.done(() -> array.count(large), array)).isEqualTo(met.length);
    assertThat(way.done(() -> array.all(large), array)).isEqualTo(met.length == values.length);
    assertThat(way.done(() -> array.any(large), array)).isEqualTo(met.length > 0);
    assertThat(way.done(() -> array.none(large), array)).isEqualTo(met.length == 0);
  }

  private void scans(ComplexArray array, ComplexArray out, Complex[] values) {
    // Composing maps x -> ax + b modulo 97, coded as numbers a + bi: associative, not commutative.
    Complex[] maps =
        Arrays.stream(values)
            .map(z -> new Complex(z.re() + 10, z.im() + 10))
            .toArray(Complex[]::new);
    way.does(() -> array.map(z -> new Complex(z.re() + 10, z.im() + 10)), array);
    Complex[] running = maps.clone();
    for (int i = 1; i < running.length; i++) {
      running[i] = compose(running[i - 1], running[i]);
    }
    way.does(() -> out.scan(array, ComplexAlgorithms::compose), array, out);
    compare(out, running);
    Complex start = new Complex(2, 3);
    Complex[] before = new Complex[maps.length];
    for (int i = 0; i < before.length; i++) {
      before[i] = i == 0 ? start : compose(before[i - 1], maps[i - 1]);
    }
    way.does(() -> array.scanBefore(array, start, ComplexAlgorithms::compose), array);
    compare(array, before);
  }

  private void rearrangements(ComplexArray array, ComplexArray out, Complex[] values) {
    double bound = random.nextInt(160);
    Predicate<Complex> large = z -> z.squaredAbs() > bound;
    Complex[] met = Arrays.stream(values).filter(large).toArray(Complex[]::new);
    try (ComplexArray kept = way.done(() -> array.copyIf(large), array)) {
      assertThat(kept.gather(0)).hasSize(team.communicator().rank() == 0 ? met.length : 0);
      compare(kept, met);
    }
    way.does(() -> out.setDifferences(array), array, out);
    Complex[] differences = new Complex[values.length];
    Arrays.setAll(differences, i -> i == 0 ? values[0] : values[i].minus(values[i - 1]));
    compare(out, differences);
    assertThat(array.partition(large)).isEqualTo(met.length);
    Complex[] divided =
        Stream.concat(Arrays.stream(met), Arrays.stream(values).filter(large.negate()))
            .toArray(Complex[]::new);
    compare(array, divided);
  }

  private static Complex compose(Complex x, Complex y) {
    return new Complex(y.re() * x.re() % 97, (y.re() * x.im() + y.im()) % 97);
  }
}
