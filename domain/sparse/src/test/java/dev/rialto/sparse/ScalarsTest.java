package dev.rialto.sparse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.array.Array;
import dev.rialto.array.IndexSpace;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Devices;
import dev.rialto.sparse.Scalars.Condition;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.spi.data.DType;
import dev.rialto.tck.TestDevices;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers of a device compute what the host's do, and stand still once they have ended. */
@Tag("gpu")
class ScalarsTest {
  private static final int N = 100;

  /** Runs with a vector of ones, on the host or on a device. */
  private static void on(String name, BiConsumer<TestVector, Vectors> body) {
    Optional<ComputeClient> device =
        name.equals("host") ? Optional.empty() : Optional.of(Devices.of(TestDevices.get(name)));
    Ranks.run(
        1,
        team -> {
          IndexSpace space = device.map(team.space(N)::on).orElse(team.space(N));
          IndexMap map = IndexMap.of(space).assemble();
          try (TestVector ones = new TestVector(map, DType.F64).fill(Scalar.ONE);
              Vectors vectors = Vectors.of(map, ones.array())) {
            body.accept(ones, vectors);
          }
        });
  }

  private static double read(Array vector) {
    double[] all = new double[N];
    vector.copyTo(MemorySegment.ofArray(all));
    return all[0];
  }

  private static double first(Array vector, Vectors vectors) {
    double[] first = new double[1];
    vectors.aside(false, () -> first[0] = read(vector));
    return first[0];
  }

  @ParameterizedTest
  @ValueSource(strings = {"host", "plain", "opencl", "cuda"})
  void variablesComputeInTheOrderOfTheCalls(String name) {
    on(
        name,
        (ones, v) -> {
          try (Scalars scalars = v.scalars()) {
            Variable two = scalars.variable().set(Scalar.of(2));
            Variable five = scalars.variable().set(Scalar.of(5));
            Variable result = scalars.variable();
            assertThat(result.value()).isEqualTo(Scalar.ZERO);
            assertThat(result.quotient(five, two).value()).isEqualTo(Scalar.of(2.5));
            assertThat(result.product(result, two).value()).isEqualTo(Scalar.of(5));
            assertThat(result.difference(two, five).value()).isEqualTo(Scalar.of(-3));
            assertThat(result.negated().re()).isEqualTo(3);
            assertThat(result.root(five).value()).isEqualTo(Scalar.of(Math.sqrt(5)));
            assertThat(result.set(five).quotient(two, result).value()).isEqualTo(Scalar.of(0.4));
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "opencl", "cuda"})
  void theRuntimeCountsTheMemoryOfVectorsAndTellsTheirWork(String name) {
    ComputeClient client = Devices.of(TestDevices.get(name));
    long unused = client.memoryUsage().used();
    Ranks.run(
        1,
        team -> {
          long before = client.memoryUsage().used();
          IndexMap map = IndexMap.of(team.space(N).on(client)).assemble();
          try (TestVector there = new TestVector(map, DType.F64)) {
            assertThat(client.memoryUsage().used() - before).isGreaterThanOrEqualTo(8L * N);
            var profile = client.profile(() -> there.fill(Scalar.of(2))).join();
            assertThat(profile.operations()).isNotEmpty();
            assertThat(there.get(0).re()).isEqualTo(2);
          }
        });
    assertThat(client.memoryUsage().used()).isEqualTo(unused);
  }

  @ParameterizedTest
  @ValueSource(strings = {"host", "plain", "opencl", "cuda"})
  void thereMayBeAnyNumberOfVariablesAndSteps(String name) {
    on(
        name,
        (ones, v) -> {
          try (Scalars scalars = v.scalars()) {
            Variable one = scalars.variable().set(Scalar.ONE);
            Variable last = scalars.variable().set(Scalar.of(1000));
            for (int i = 0; i < 500; i++) {
              last = scalars.variable().difference(last, one);
            }
            assertThat(last.value()).isEqualTo(Scalar.of(500));
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"host", "plain", "opencl", "cuda"})
  void productsAreVariablesOnceTheyAreSummedUp(String name) {
    on(
        name,
        (ones, v) -> {
          Array x = v.vector();
          try (Scalars scalars = v.scalars()) {
            Products products = scalars.products(3);
            Variable quotient = scalars.variable();
            Variable kept = scalars.variable();
            for (int round = 1; round <= 3; round++) {
              v.axpby(Scalar.of(round), ones.array(), Scalar.ZERO, x);
              v.addDot(x, x, products, 0);
              v.subtractDot(Scalar.ONE, ones.array(), x, products, 1);
              v.multiplyDot(ones.array(), ones.array(), x, products, 2);
              kept.set(products.get(0));
              scalars.sum(products, 3, false);
              quotient.quotient(products.get(0), products.get(2));
              assertThat(products.get(1).re()).isEqualTo(N * (round - 1.0) * (round - 1.0));
              assertThat(quotient.re()).isEqualTo(round * round);
              assertThat(kept.re()).isEqualTo(N * (round - 1.0) * (round - 1.0));
            }
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "opencl", "cuda"})
  void nothingChangesOnceAConditionHolds(String name) {
    for (Condition condition : Condition.values()) {
      on(
          name,
          (ones, v) -> {
            Array x = v.vector();
            Array r = v.vector();
            Array s = v.vector();
            Array p = v.vector();
            try (Scalars scalars = v.scalars()) {
              Variable one = scalars.variable().set(Scalar.ONE);
              Variable ten = scalars.variable().set(Scalar.of(10));
              Variable count = scalars.variable().set(Scalar.of(3));
              Products products = scalars.products(1);
              boolean left = false;
              for (int i = 0; !left && i < 10; i++) {
                left = scalars.ends(condition, count);
                if (!left) {
                  count.difference(count, one);
                  v.axpby(one, ones.array(), Scalar.ONE, x);
                  v.nextDirection(one, x, ones.array(), one, p);
                  v.conjugateStep(one.negated(), ones.array(), ones.array(), x, r);
                  v.pipelinedStep(one, one, ones.array(), ones.array(), p, s, x, r, products, 0);
                  scalars.sum(products, 1, false);
                  // To judge more than the residual is to wait, and to learn of the end.
                  assertThat(scalars.endIteration(ten, new Recorder(100, true))).isFalse();
                }
              }
              assertThat(left).isTrue();
              assertThat(count.re()).isEqualTo(condition == Condition.NEGATIVE ? -1 : 0);
              double before = first(x, v);
              v.axpby(one, ones.array(), Scalar.ONE, x);
              assertThat(first(x, v)).isEqualTo(before + 1);
            }
          });
    }
  }

  /** Counts norms, and stops at a number of iterations. */
  private static final class Recorder implements Scalars.Judge {
    private final List<Double> norms = new ArrayList<>();
    private final int limit;
    private final boolean waits;

    Recorder(int limit, boolean waits) {
      this.limit = limit;
      this.waits = waits;
    }

    @Override
    public double scale() {
      return 2;
    }

    @Override
    public double tolerance() {
      return 0.5;
    }

    @Override
    public int left() {
      return limit - norms.size();
    }

    @Override
    public boolean judgesSolution() {
      return waits;
    }

    @Override
    public boolean stop(double norm) {
      norms.add(norm);
      return norm / scale() <= tolerance() || !Double.isFinite(norm) || left() <= 0;
    }

    @Override
    public void hear() {}
  }

  @ParameterizedTest
  @ValueSource(strings = {"host", "plain", "opencl", "cuda"})
  void iterationsEndWhereTheirResidualDoes(String name) {
    on(
        name,
        (ones, v) -> {
          for (int last : new int[] {1, 2, 15, 16, 17, 31, 32, 33, 48, 70}) {
            for (int limit : new int[] {last, last + 1, 20, 100}) {
              Array x = v.vector();
              try (Scalars scalars = v.scalars()) {
                Variable one = scalars.variable().set(Scalar.ONE);
                Variable norm = scalars.variable().set(Scalar.of(last + 1.0));
                Variable square = scalars.variable();
                Recorder recorder = new Recorder(limit, false);
                do {
                  v.axpby(one, ones.array(), Scalar.ONE, x);
                  norm.difference(norm, one);
                  square.product(norm, norm);
                } while (!scalars.endIteration(square, recorder));
                int done = Math.min(last, limit);
                Double[] wanted = new Double[done];
                Arrays.setAll(wanted, i -> last - (double) i);
                assertThat(recorder.norms).containsExactly(wanted);
                assertThat(first(x, v)).isEqualTo(done);
              }
            }
          }
        });
  }
}
