package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.error.CompilationException;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Algorithms in which order matters, on devices, with more elements than a block has. */
@Tag("gpu")
class DeviceOrderTest {
  private static final int SIZE = 9_001;

  /** Elements of several groups of a scan's tiles on each rank. */
  private static final int LONG = 400_001;

  private static double special(long i) {
    return switch ((int) (i * 7919 % 11)) {
      case 0 -> Double.NaN;
      case 1 -> -0.0;
      case 2 -> 0.0;
      case 3 -> Double.NEGATIVE_INFINITY;
      default -> i * 7919 % 503 - 250;
    };
  }

  @TestFactory
  Stream<DynamicTest> specialNumbersAreSorted() {
    double[] values = LongStream.range(0, SIZE).mapToDouble(DeviceOrderTest::special).toArray();
    double[] sorted = Arrays.stream(values).sorted().toArray();
    return OnDevices.tests(
        team -> {
          try (F64Array a = team.f64(SIZE);
              F64Array b = a.like();
              I64Array numbers = team.i64(SIZE)) {
            a.generate(i -> special(i));
            numbers.generate(i -> i);
            b.copy(a);
            assertThat(a.nth(SIZE / 2)).isEqualTo(sorted[SIZE / 2]);
            b.sort();
            expect(b, sorted);
            try (RealArray once = a.unique()) {
              expect(once, Arrays.stream(sorted).distinct().toArray());
            }
            a.sortWith(numbers);
            expect(a, sorted);
            long[] order = numbers.gather(0);
            long[] expected =
                LongStream.range(0, SIZE)
                    .boxed()
                    .sorted(Comparator.comparingDouble(i -> values[i.intValue()]))
                    .mapToLong(i -> i)
                    .toArray();
            assertThat(order).isEqualTo(Arrays.copyOf(expected, order.length));
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> anOrderOfTheUsersIsStable() {
    double[] expected =
        DoubleStream.iterate(0, i -> i + 1)
            .limit(SIZE)
            .boxed()
            .sorted(Comparator.comparingDouble(x -> x % 7))
            .mapToDouble(x -> x)
            .toArray();
    return OnDevices.tests(
        team -> {
          try (F32Array a = team.f32(SIZE)) {
            a.generate(i -> i);
            a.sort((x, y) -> Double.compare(x % 7, y % 7));
            expect(a, expected);
          }
        });
  }

  /** Composes functions a x + b modulo 97, of which the last one is applied first. */
  private static long compose(long f, long g) {
    return f / 100 * (g / 100) % 97 * 100 + (f / 100 * (g % 100) + f % 100) % 97;
  }

  @TestFactory
  Stream<DynamicTest> operatorsOfTheUsersGetElementsInOrder() {
    long[] running = LongStream.range(0, LONG).map(i -> i * 31 % 97 * 100 + i % 97).toArray();
    for (int i = 1; i < running.length; i++) {
      running[i] = compose(running[i - 1], running[i]);
    }
    return OnDevices.tests(
        team -> {
          try (I64Array a = team.i64(LONG);
              I64Array b = a.like()) {
            a.generate(i -> i * 31 % 97 * 100 + i % 97);
            assertThat(a.reduce((f, g) -> compose(f, g))).isEqualTo(running[LONG - 1]);
            b.scan(a, (f, g) -> compose(f, g));
            long[] all = b.gather(0);
            assertThat(all).isEqualTo(Arrays.copyOf(running, all.length));
            assertThatThrownBy(() -> a.count(x -> Long.toString(x).isEmpty()))
                .isInstanceOf(CompilationException.class)
                .hasMessageContaining("DeviceOrderTest.java:");
            assertThat(a.count(x -> x % 2 == 0)).as("the team can be used on").isPositive();
          }
        });
  }

  private static void expect(RealArray array, double[] expected) {
    double[] all = array.gather(0);
    assertThat(all).isEqualTo(Arrays.copyOf(expected, all.length));
    assertThat(array.shape().count()).isEqualTo(expected.length);
  }
}
