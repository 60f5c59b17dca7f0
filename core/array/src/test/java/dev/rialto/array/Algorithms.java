package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.Capability;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.data.Shape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.function.LongBinaryOperator;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Every algorithm on random arrays, compared with plain loops over plain arrays. Runs on the ranks
 * of any team; all ranks draw the same random numbers.
 */
final class Algorithms {
  private final Team team;
  private final Random random;
  private final boolean started;

  Algorithms(Team team, long seed, boolean started) {
    this.team = team;
    this.random = new Random(seed);
    this.started = started;
  }

  /** Does something with arrays, at once or as work that is started. */
  <R> R done(Supplier<R> work, Array... uses) {
    return started ? team.start(work, uses).await() : work.get();
  }

  /** Does something with arrays, at once or as work that is started. */
  void does(Runnable work, Array... uses) {
    var _ =
        done(
            () -> {
              work.run();
              return true;
            },
            uses);
  }

  /** The groups of algorithms. */
  enum Subject {
    ELEMENTS,
    TRANSFORMS,
    REDUCTIONS,
    SEARCHES,
    SCANS,
    SORTS,
    SELECTIONS,
    CHANGES,
    REARRANGEMENTS,
    COMPLEX
  }

  static void run(Team team, Subject subject, long seed, boolean started) {
    Algorithms algorithms = new Algorithms(team, seed, started);
    try {
      switch (subject) {
        case ELEMENTS -> algorithms.elements();
        case TRANSFORMS -> algorithms.transforms();
        case REDUCTIONS -> algorithms.reductions();
        case SEARCHES -> algorithms.searches();
        case SCANS -> algorithms.scans();
        case SORTS -> algorithms.sorts();
        case SELECTIONS -> algorithms.selections();
        case CHANGES -> algorithms.changes();
        case REARRANGEMENTS -> algorithms.rearrangements();
        case COMPLEX -> ComplexAlgorithms.run(team, algorithms.random, algorithms);
      }
    } catch (AssertionError | RuntimeException e) {
      throw new AssertionError(subject + " with seed " + seed + ": " + e.getMessage(), e);
    }
  }

  private static long[] map(Sample s, LongBinaryOperator f) {
    return IntStream.range(0, s.values.length)
        .mapToLong(i -> Sample.rounded(s.type, f.applyAsLong(i, s.values[i])))
        .toArray();
  }

  private void elements() {
    try (Sample s = new Sample(team, random)) {
      assertThat(Sample.contents(s.array)).isEqualTo(s.values);
      does(() -> new Bits(s.array).fill(7), s.array);
      long seven = Sample.bits(s.type, Sample.floating(s.type) ? 14 : 7);
      assertThat(Sample.contents(s.array)).isEqualTo(map(s, (_, _) -> seven));
      Sample.set(s.array, s.values);
      if (!team.communicator().capabilities().contains(Capability.WINDOWS)
          || s.values.length == 0
          || s.array.isOnDevice()) {
        return;
      }
      s.array.synchronize();
      long[] index = new long[s.shape.rank()];
      int rank = team.communicator().rank();
      int ranks = team.communicator().size();
      long[] expected = s.values.clone();
      for (int draw = 0; draw < 20; draw++) {
        Arrays.setAll(index, axis -> random.nextLong(s.shape.extent(axis)));
        int element = (int) s.array.element(index);
        assertThat(new Bits(s.array).fetch(index)).isEqualTo(s.values[element]);
      }
      s.array.synchronize();
      // Each rank writes elements of all ranks: those whose number leaves its own as remainder.
      for (int element = 0; element < expected.length; element++) {
        expected[element] = Sample.bits(s.type, element % 50);
        if (element % ranks == rank) {
          put(s.array, s.shape, element, expected[element]);
        }
      }
      s.array.synchronize();
      assertThat(Sample.contents(s.array)).isEqualTo(expected);
    }
  }

  private static void put(Array array, Shape shape, long element, long bits) {
    long[] index = new long[shape.rank()];
    long rest = element;
    for (int axis = index.length - 1; axis >= 0; axis--) {
      index[axis] = rest % shape.extent(axis);
      rest /= shape.extent(axis);
    }
    new Bits(array).put(bits, index);
  }

  private void transforms() {
    try (Sample s = new Sample(team, random);
        Sample other = new Sample(team, random, s.type, s.shape);
        Array out = Sample.array(team, random, s.type, s.shape)) {
      Bits result = new Bits(out);
      does(() -> result.set(s.array, x -> 2 * x, x -> 2 * x), s.array, out);
      assertThat(Sample.contents(out)).isEqualTo(map(s, (_, bits) -> add(s.type, bits, bits)));
      assertThat(Sample.contents(s.array)).as("input").isEqualTo(s.values);
      does(
          () -> result.set(s.array, other.array, Double::sum, Long::sum),
          s.array,
          other.array,
          out);
      assertThat(Sample.contents(out))
          .isEqualTo(map(s, (i, bits) -> add(s.type, bits, other.values[(int) i])));
      does(() -> result.setSum(s.array, other.array, s.array), s.array, other.array, out);
      assertThat(Sample.contents(out))
          .isEqualTo(
              map(s, (i, bits) -> add(s.type, add(s.type, bits, other.values[(int) i]), bits)));
      does(() -> out.copy(s.array), s.array, out);
      assertThat(Sample.contents(out)).isEqualTo(s.values);
      does(() -> result.axpy(2, other.array), other.array, out);
      assertThat(Sample.contents(out))
          .isEqualTo(
              map(
                  s,
                  (i, bits) ->
                      add(
                          s.type,
                          bits,
                          add(s.type, other.values[(int) i], other.values[(int) i]))));
      does(() -> new Bits(s.array).set(s.array, x -> 2 * x, x -> 2 * x), s.array);
      assertThat(Sample.contents(s.array))
          .as("in place")
          .isEqualTo(map(s, (_, bits) -> add(s.type, bits, bits)));
    }
  }

  private static long add(DType type, long a, long b) {
    return Sample.floating(type)
        ? Double.doubleToRawLongBits(Double.longBitsToDouble(a) + Double.longBitsToDouble(b))
        : a + b;
  }

  private static long multiply(DType type, long a, long b) {
    return Sample.floating(type)
        ? Double.doubleToRawLongBits(Double.longBitsToDouble(a) * Double.longBitsToDouble(b))
        : a * b;
  }

  private void reductions() {
    try (Sample s = new Sample(team, random);
        Sample other = new Sample(team, random, s.type, s.shape)) {
      if (s.values.length == 0) {
        assertThat(new Bits(s.array).reduce(ReduceOp.SUM)).isEqualTo(Sample.bits(s.type, 0));
        return;
      }
      // Halves are added exactly, so that the order of additions does not show.
      long zero = Sample.bits(s.type, 0);
      Bits bits = new Bits(s.array);
      assertThat(done(() -> bits.reduce(ReduceOp.SUM), s.array))
          .isEqualTo(Arrays.stream(s.values).reduce(zero, (a, b) -> add(s.type, a, b)));
      long[] ordered = Sample.sorted(s.type, s.values);
      assertThat(done(() -> bits.reduce(ReduceOp.MAX), s.array))
          .isEqualTo(ordered[ordered.length - 1]);
      // "The last" is associative and not commutative.
      assertThat(done(() -> bits.reduce((_, b) -> b, (_, b) -> b), s.array))
          .isEqualTo(s.values[s.values.length - 1]);
      assertThat(done(() -> bits.reduce(x -> x * x, x -> x * x, ReduceOp.SUM), s.array))
          .isEqualTo(
              Arrays.stream(s.values)
                  .map(v -> multiply(s.type, v, v))
                  .reduce(zero, (a, b) -> add(s.type, a, b)));
      assertThat(done(() -> bits.dot(other.array), s.array, other.array))
          .isEqualTo(
              IntStream.range(0, s.values.length)
                  .mapToLong(i -> multiply(s.type, s.values[i], other.values[i]))
                  .reduce(zero, (a, b) -> add(s.type, a, b)));
      assertThat(done(() -> bits.lastOfPairs(other.array), s.array, other.array))
          .isEqualTo(other.values[other.values.length - 1]);
      long greatest = ordered[ordered.length - 1];
      assertThat(done(bits::minMax, s.array))
          .containsExactly(
              ordered[0], first(s.values, ordered[0]), greatest, first(s.values, greatest));
      if (!Sample.floating(s.type)) {
        assertThat(done(() -> bits.reduce(ReduceOp.BIT_XOR), s.array))
            .isEqualTo(Arrays.stream(s.values).reduce(0, (a, b) -> a ^ b));
        assertThat(done(() -> bits.reduce(ReduceOp.LOGICAL_AND), s.array))
            .isEqualTo(Arrays.stream(s.values).allMatch(v -> v != 0) ? 1 : 0);
      }
    }
  }

  private static long first(long[] values, long wanted) {
    int at = 0;
    while (values[at] != wanted) {
      at++;
    }
    return at;
  }

  private void searches() {
    try (Sample s = new Sample(team, random)) {
      double bound = random.nextInt(-12, 12);
      Bits bits = new Bits(s.array);
      int[] met =
          IntStream.range(0, s.values.length).filter(i -> s.number(s.values[i]) > bound).toArray();
      assertThat(done(() -> bits.find(x -> x > bound, x -> x > bound), s.array))
          .isEqualTo(met.length == 0 ? OptionalLong.empty() : OptionalLong.of(met[0]));
      assertThat(done(() -> bits.count(x -> x > bound, x -> x > bound), s.array))
          .isEqualTo(met.length);
      assertThat(done(() -> bits.allAnyNone(x -> x > bound, x -> x > bound), s.array))
          .containsExactly(met.length == s.values.length, met.length > 0, met.length == 0);
      Histogram histogram = done(() -> s.array.histogram(-6, 3, 9), s.array);
      for (int i = 0; i < 9; i++) {
        double from = -6 + i;
        double to = from + 1;
        boolean closed = i == 8;
        assertThat(histogram.count(i))
            .isEqualTo(
                Arrays.stream(s.values)
                    .mapToDouble(s::number)
                    .filter(v -> v >= from && (v < to || (closed && v == to)))
                    .count());
      }
      assertThat(histogram.outside())
          .isEqualTo(
              Arrays.stream(s.values).mapToDouble(s::number).filter(v -> v < -6 || v > 3).count());
    }
  }

  private void scans() {
    DType type = random.nextBoolean() ? DType.F64 : DType.I32;
    try (Sample s = new Sample(team, random, type, Shape.of(random.nextInt(6), random.nextInt(9)));
        Array out = Sample.array(team, random, type, s.shape)) {
      // Maps x -> ax + b modulo 97, coded 128a + b: composing them is associative, not commutative.
      long[] maps =
          random.ints(s.values.length).mapToLong(v -> (v & 63) * 128L + (v >>> 8 & 63)).toArray();
      Sample.set(s.array, coded(type, maps));
      does(() -> new Bits(out).scan(s.array, Algorithms::compose), s.array, out);
      long[] running = maps.clone();
      for (int i = 1; i < running.length; i++) {
        running[i] = compose(running[i - 1], running[i]);
      }
      assertThat(Sample.contents(out)).isEqualTo(coded(type, running));
      does(() -> new Bits(s.array).scanBefore(s.array, 128, Algorithms::compose), s.array);
      long[] before = new long[maps.length];
      for (int i = 0; i < before.length; i++) {
        before[i] = i == 0 ? 128 : compose(before[i - 1], maps[i - 1]);
      }
      assertThat(Sample.contents(s.array)).as("exclusive, in place").isEqualTo(coded(type, before));
    }
  }

  private static long compose(long x, long y) {
    long a = x / 128;
    long b = x % 128;
    long c = y / 128;
    long d = y % 128;
    return c * a % 97 * 128 + (c * b + d) % 97;
  }

  private static long[] coded(DType type, long[] numbers) {
    return Arrays.stream(numbers)
        .map(v -> Sample.floating(type) ? Double.doubleToRawLongBits((double) v) : v)
        .toArray();
  }

  private void sorts() {
    try (Sample s = new Sample(team, random);
        Sample with = new Sample(team, random, DType.I64, s.shape)) {
      long[] ascending = Sample.sorted(s.type, s.values);
      try (Array unique = done(() -> new Bits(s.array).unique(), s.array)) {
        assertThat(Sample.contents(unique))
            .isEqualTo(Arrays.stream(ascending).distinct().toArray());
      }
      does(() -> s.array.sortWith(with.array), s.array, with.array);
      assertThat(Sample.contents(s.array)).isEqualTo(ascending);
      long[] order =
          IntStream.range(0, s.values.length)
              .boxed()
              .sorted(Comparator.comparingDouble(i -> s.number(s.values[i])))
              .mapToLong(i -> with.values[i])
              .toArray();
      assertThat(Sample.contents(with.array)).as("values, stable").isEqualTo(order);
      Sample.set(s.array, s.values);
      does(s.array::sort, s.array);
      assertThat(Sample.contents(s.array)).isEqualTo(ascending);
      Sample.set(s.array, s.values);
      does(s.array::sortDescending, s.array);
      long[] descending =
          IntStream.range(0, ascending.length)
              .mapToLong(i -> ascending[ascending.length - 1 - i])
              .toArray();
      assertThat(Sample.contents(s.array)).isEqualTo(descending);
      Sample.set(s.array, s.values);
      does(new Bits(s.array)::sortBySize, s.array);
      assertThat(Sample.contents(s.array))
          .as("in an order of the user's, stable")
          .isEqualTo(
              Arrays.stream(s.values)
                  .boxed()
                  .sorted(Comparator.comparingDouble(v -> -Math.abs(s.number(v))))
                  .mapToLong(v -> v)
                  .toArray());
    }
  }

  private void selections() {
    try (Sample s = new Sample(team, random)) {
      long[] ascending = Sample.sorted(s.type, s.values);
      if (ascending.length > 0) {
        int n = random.nextInt(ascending.length);
        assertThat(done(() -> new Bits(s.array).nth(n), s.array)).isEqualTo(ascending[n]);
      }
      int k = random.nextInt(12);
      List<Long> elements = new ArrayList<>(LongStream.range(0, s.values.length).boxed().toList());
      elements.sort(
          Comparator.<Long>comparingDouble(e -> -s.number(s.values[e.intValue()]))
              .thenComparing(e -> e));
      assertThat(done(() -> new Bits(s.array).top(k, true), s.array))
          .isEqualTo(found(s, elements, k));
      elements.sort(
          Comparator.<Long>comparingDouble(e -> s.number(s.values[e.intValue()]))
              .thenComparing(e -> e));
      assertThat(done(() -> new Bits(s.array).top(k, false), s.array))
          .isEqualTo(found(s, elements, k));
    }
  }

  private static List<List<Long>> found(Sample s, List<Long> elements, int k) {
    return elements.stream().limit(k).map(e -> List.of(e, s.values[e.intValue()])).toList();
  }

  private void rearrangements() {
    try (Sample s = new Sample(team, random);
        Array out = Sample.array(team, random, s.type, s.shape)) {
      Bits bits = new Bits(s.array);
      double bound = random.nextInt(-12, 12);
      long[] met = Arrays.stream(s.values).filter(v -> s.number(v) > bound).toArray();
      try (Array kept = done(() -> bits.copyIf(x -> x > bound, x -> x > bound), s.array)) {
        assertThat(Sample.contents(kept)).isEqualTo(met);
      }
      does(() -> new Bits(out).setDifferences(s.array), s.array, out);
      assertThat(Sample.contents(out))
          .isEqualTo(map(s, (i, v) -> i == 0 ? v : subtract(s.type, v, s.values[(int) i - 1])));
      if (s.values.length > 0) {
        int length = s.values.length;
        for (long shift :
            new long[] {random.nextInt(-30, 30), Long.MAX_VALUE - 3, Long.MIN_VALUE}) {
          does(() -> s.array.rotate(shift), s.array);
          assertThat(Sample.contents(s.array))
              .as("rotated by %d", shift)
              .isEqualTo(
                  map(
                      s,
                      (i, _) -> s.values[Math.floorMod(i + Math.floorMod(shift, length), length)]));
          Sample.set(s.array, s.values);
        }
      }
      assertThat(bits.partition(x -> x > bound, x -> x > bound)).isEqualTo(met.length);
      long[] others = Arrays.stream(s.values).filter(v -> s.number(v) <= bound).toArray();
      assertThat(Sample.contents(s.array))
          .isEqualTo(LongStream.concat(Arrays.stream(met), Arrays.stream(others)).toArray());
      Sample.set(s.array, s.values);
      bits.sortByDistance(bound);
      assertThat(Sample.contents(s.array))
          .isEqualTo(
              Arrays.stream(s.values)
                  .boxed()
                  .sorted(Comparator.comparingDouble(v -> Math.abs(s.number(v) - bound)))
                  .mapToLong(v -> v)
                  .toArray());
    }
  }

  private static long subtract(DType type, long a, long b) {
    return Sample.floating(type)
        ? Double.doubleToRawLongBits(Double.longBitsToDouble(a) - Double.longBitsToDouble(b))
        : a - b;
  }

  private void changes() {
    try (Sample s = new Sample(team, random)) {
      Decomposition other = Sample.decomposition(team.communicator().size(), random, s.shape);
      if (s.array.localShape().count() == s.array.owned().count()) {
        does(() -> s.array.redistribute(other), s.array);
        assertThat(Sample.contents(s.array)).isEqualTo(s.values);
      }
      long[] extents = s.shape.extents();
      Arrays.setAll(extents, axis -> Math.max(2, extents[axis] + random.nextInt(-3, 4)));
      Shape shape = Shape.of(extents);
      does(() -> s.array.resize(extents), s.array);
      long[] expected = new long[(int) shape.count()];
      for (int element = 0; element < expected.length; element++) {
        long rest = element;
        long old = 0;
        long stride = 1;
        for (int axis = extents.length - 1; axis >= 0; axis--) {
          long index = rest % extents[axis];
          rest /= extents[axis];
          old = index < s.shape.extent(axis) && old >= 0 ? old + index * stride : -1;
          stride *= s.shape.extent(axis);
        }
        expected[element] = old < 0 ? 0 : s.values[(int) old];
      }
      assertThat(Sample.contents(s.array)).isEqualTo(expected);
    }
  }
}
