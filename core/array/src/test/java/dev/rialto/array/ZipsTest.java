package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.util.Arrays;
import java.util.Comparator;
import java.util.function.Consumer;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Functions of the elements of two arrays, read as an array that is nowhere in memory. */
@Tag("gpu")
class ZipsTest {
  private static final int N = 70_001;

  private static void onTeams(int ranks, Consumer<Team> body) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm)) {
              body.accept(team);
            }
          });
    }
  }

  private static double x(long i) {
    return i * 37 % 1_009 - 500;
  }

  private static double y(long i) {
    return i * 91 % 499 * 0.5;
  }

  private static double[] reference() {
    return LongStream.range(0, N).mapToDouble(i -> x(i) - y(i)).toArray();
  }

  private static void expect(RealArray array, double[] wanted) {
    double[] all = array.gather(0);
    if (array.team().communicator().rank() == 0) {
      assertThat(all).as("%s", array).isEqualTo(wanted);
    }
  }

  private static double[] sums(double[] of) {
    double[] sums = of.clone();
    Arrays.parallelPrefix(sums, Double::sum);
    return sums;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void whateverReadsTakesThem(int ranks) {
    onTeams(
        ranks,
        team -> {
          for (Decomposition division :
              new Decomposition[] {Decomposition.block(), Decomposition.cyclic(ranks)}) {
            try (F64Array a = team.space(N).divided(division).f64();
                F32Array b = team.space(N).divided(division).f32();
                F64Array out = team.f64(N)) {
              a.generate(ZipsTest::x);
              b.generate(ZipsTest::y);
              reads(a.zip(b, (x, y) -> x - y), out);
              assertThat(out.sum()).isEqualTo(DoubleStream.of(reference()).sum() + N);
            }
          }
        });
  }

  private static void reads(RealArray zip, F64Array out) {
    double[] wanted = reference();
    expect(zip, wanted);
    assertThat(zip.sum()).isEqualTo(DoubleStream.of(wanted).sum());
    assertThat(zip.dot(zip)).isEqualTo(DoubleStream.of(wanted).map(v -> v * v).sum());
    assertThat(zip.reduce((p, q) -> q)).isEqualTo(wanted[N - 1]);
    RealArray.MinMax extremes = zip.minMax();
    assertThat(extremes.min()).isEqualTo(DoubleStream.of(wanted).min().orElseThrow());
    assertThat(wanted[(int) extremes.maxElement()]).isEqualTo(extremes.max());
    assertThat(zip.count(v -> v > 0)).isEqualTo(DoubleStream.of(wanted).filter(v -> v > 0).count());
    assertThat(zip.find(v -> v > 400))
        .hasValue(IntStream.range(0, N).filter(i -> wanted[i] > 400).findFirst().orElseThrow());
    assertThat(zip.any(v -> v > 1_000)).isFalse();
    double[] sorted = DoubleStream.of(wanted).sorted().toArray();
    assertThat(zip.nth(1_000)).isEqualTo(sorted[1_000]);
    assertThat(zip.largest(1).getFirst().value()).isEqualTo(sorted[N - 1]);
    assertThat(zip.histogram(-1_000, 1_000, 2).count(1))
        .isEqualTo(DoubleStream.of(wanted).filter(v -> v >= 0).count());
    try (RealArray once = zip.unique();
        RealArray some = zip.copyIf(v -> v > 0)) {
      expect(once, DoubleStream.of(wanted).distinct().sorted().toArray());
      expect(some, DoubleStream.of(wanted).filter(v -> v > 0).toArray());
    }
    out.scan(zip, ReduceOp.SUM);
    expect(out, sums(wanted));
    out.scan(zip, (p, q) -> p + q);
    expect(out, sums(wanted));
    out.setDifferences(zip);
    assertThat(out.sum()).isEqualTo(wanted[N - 1]);
    out.combine(all -> all[0] + all[1], zip, zip);
    assertThat(out.sum()).isEqualTo(2 * DoubleStream.of(wanted).sum());
    out.set(zip, v -> v + 1);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void arraysAreSortedAndChosenByFunctionsOfBoth(int ranks) {
    onTeams(
        ranks,
        team -> {
          try (F64Array a = team.f64(N);
              F64Array b = team.f64(N);
              I64Array c = team.i64(N)) {
            a.generate(ZipsTest::x);
            b.generate(ZipsTest::y);
            c.generate(i -> i);
            RealArray difference = a.zip(b, (x, y) -> x - y);
            try (RealArray some = a.copyIf(difference, d -> d < -300)) {
              expect(
                  some,
                  LongStream.range(0, N)
                      .filter(i -> x(i) - y(i) < -300)
                      .mapToDouble(ZipsTest::x)
                      .toArray());
            }
            difference.sortWith(a, b, c);
            long[] order =
                LongStream.range(0, N)
                    .boxed()
                    .sorted(Comparator.comparingDouble(i -> x(i) - y(i)))
                    .mapToLong(i -> i)
                    .toArray();
            expect(a, LongStream.of(order).mapToDouble(ZipsTest::x).toArray());
            expect(b, LongStream.of(order).mapToDouble(ZipsTest::y).toArray());
            long[] all = c.gather(0);
            if (team.communicator().rank() == 0) {
              assertThat(all).containsExactly(order);
            }
            // A partition: those that meet the condition first, each part in its order.
            RealArray last = a.zip(b, (x, y) -> x < y ? 0 : 1);
            long met = last.count(key -> key == 0);
            last.sortWith(a, b);
            assertThat(a.slice(0, 0, met).zip(b.slice(0, 0, met), (x, y) -> x - y).max())
                .isNegative();
            assertThat(a.slice(0, met, N).zip(b.slice(0, met, N), (x, y) -> x - y).min())
                .isNotNegative();
          }
        });
  }

  @Test
  void zipsAreZippedAndMadeOfViews() {
    onTeams(
        3,
        team -> {
          try (I32Array a = team.i32(9, 5);
              I8Array b = (I8Array) team.space(9, 5).array(DType.I8);
              I64Array c = team.i64(9, 5)) {
            a.set((i, j) -> 10 * i + j);
            b.set((i, j) -> j);
            c.set((i, j) -> i);
            IntegerArray rows = a.zip(b, (x, y) -> x - y).zip(c, (x, y) -> x * y);
            assertThat(rows.sum()).isEqualTo(10 * 5 * LongStream.range(0, 9).map(i -> i * i).sum());
            IntegerArray inner = a.slice(1, 1, 5, 2).zip(c.slice(1, 0, 4, 2), (x, y) -> x - 10 * y);
            assertThat(inner.sum()).isEqualTo(9 * (1 + 3));
            a.set(a.zip(c, (x, y) -> x + y), x -> -x);
            assertThat(a.min()).isEqualTo(-92);
          }
        });
  }

  @Test
  void zipsAreReadOnlyAndEndWithTheirArrays() {
    onTeams(
        2,
        team -> {
          try (F64Array a = team.f64(20);
              F64Array b = team.f64(20);
              F64Array other = team.space(20).divided(Decomposition.cyclic(2)).f64()) {
            RealArray zip = a.zip(b, (x, y) -> x + y);
            for (Runnable each :
                new Runnable[] {
                  () -> zip.fill(1),
                  () -> zip.map(v -> v),
                  () -> zip.generate(i -> i),
                  () -> zip.copy(a),
                  () -> zip.axpy(2, a),
                  () -> zip.scan(a, ReduceOp.SUM),
                  () -> zip.rotate(1),
                  () -> zip.resize(3),
                  () -> a.sortWith(zip),
                  zip::sort,
                  zip::local,
                  zip::updateHalo,
                  () -> zip.fetch(0)
                }) {
              assertThatThrownBy(each::run)
                  .isInstanceOf(UnsupportedOperationException.class)
                  .hasMessageContaining("a zip, whose elements are computed and not stored");
            }
            assertThatThrownBy(() -> a.zip(other, (x, y) -> x))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("divided alike");
            RealArray shifted = a.slice(0, 0, 19).zip(b.slice(0, 0, 19), (x, y) -> x + y);
            assertThatThrownBy(() -> a.slice(0, 1, 20).set(shifted, v -> v))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("overlap in one array");
            b.resize(21);
            assertThatThrownBy(zip::sum)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("make the zip anew");
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> devicesTakeThem() {
    return OnDevices.tests(
        team -> {
          double[] wanted = reference();
          try (F64Array a = team.space(N).halo(1).f64();
              F32Array b = team.f32(N);
              F64Array out = team.f64(N)) {
            a.generate(ZipsTest::x);
            b.generate(ZipsTest::y);
            RealArray zip = a.zip(b, (x, y) -> x - y);
            assertThat(zip.sum()).isEqualTo(DoubleStream.of(wanted).sum());
            assertThat(zip.dot(zip)).isEqualTo(DoubleStream.of(wanted).map(v -> v * v).sum());
            assertThat(zip.max()).isEqualTo(DoubleStream.of(wanted).max().orElseThrow());
            RealArray.MinMax extremes = zip.minMax();
            assertThat(wanted[(int) extremes.minElement()]).isEqualTo(extremes.min());
            out.scan(zip, ReduceOp.SUM);
            expect(out, sums(wanted));
            out.set(zip, v -> v);
            expect(out, wanted);
            out.set(out.zip(zip, (x, y) -> 2 * x - y), zip, (x, y) -> x + y);
            expect(out, DoubleStream.of(wanted).map(v -> 2 * v).toArray());
            out.axpy(-2, zip);
            assertThat(out.norm()).isZero();
            assertThatThrownBy(() -> zip.fill(1)).isInstanceOf(UnsupportedOperationException.class);
            try (F64Array other = a.like()) {
              a.swap(other);
              assertThatThrownBy(zip::sum)
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("make the zip anew");
            }
          }
        });
  }
}
