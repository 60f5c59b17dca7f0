package dev.rialto.sparse;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Devices;
import dev.rialto.sparse.Scalars.Condition;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device;
import dev.rialto.tck.TestDevices;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Numbers of a device compute what the host's do, and stand still once they have ended. */
@Tag("gpu")
class ScalarsTest {
  private static final int N = 100;

  /** Runs with a vector of ones, on the host or on a device. */
  private static void on(String name, Consumer<MultiVector> body) {
    Optional<Device> device =
        name.equals("host") ? Optional.empty() : Optional.of(TestDevices.get(name));
    Ranks.run(
        1,
        exchanger -> {
          IndexMap map = IndexMap.even(exchanger, N).assemble();
          try (MultiVector here = new MultiVector(map, DType.F64).fill(Scalar.ONE)) {
            if (device.isEmpty()) {
              body.accept(here);
              return;
            }
            try (SparseDevice home = SparseDevice.on(device.get(), exchanger);
                MultiVector there = home.vector(here)) {
              body.accept(there);
            }
          }
        });
  }

  private static double first(MultiVector vector) {
    try (MultiVector back = new MultiVector(vector.map(), vector.type()).copy(vector)) {
      return back.get(0).re();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"host", "plain", "opencl", "cuda"})
  void variablesComputeInTheOrderOfTheCalls(String name) {
    on(
        name,
        ones -> {
          try (Scalars scalars = Scalars.where(ones)) {
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
    Ranks.run(
        1,
        exchanger -> {
          IndexMap map = IndexMap.even(exchanger, N).assemble();
          long host = Devices.host().memoryUsage().used();
          try (MultiVector here = new MultiVector(map, DType.F64).fill(Scalar.ONE)) {
            assertThat(Devices.host().memoryUsage().used() - host).isGreaterThanOrEqualTo(8L * N);
            long before = client.memoryUsage().used();
            try (SparseDevice home = SparseDevice.on(client, exchanger);
                MultiVector there = home.vector(here)) {
              assertThat(client.memoryUsage().used() - before).isGreaterThanOrEqualTo(8L * N);
              var profile = client.profile(() -> there.fill(Scalar.of(2))).join();
              assertThat(profile.operations()).isNotEmpty();
              assertThat(first(there)).isEqualTo(2);
            }
            assertThat(client.memoryUsage().used()).isEqualTo(before);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"host", "plain", "opencl", "cuda"})
  void thereMayBeAnyNumberOfVariablesAndSteps(String name) {
    on(
        name,
        ones -> {
          try (Scalars scalars = Scalars.where(ones)) {
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
        ones -> {
          try (Scalars scalars = Scalars.where(ones);
              MultiVector x = ones.like()) {
            Products products = scalars.products(3);
            Variable quotient = scalars.variable();
            Variable kept = scalars.variable();
            for (int round = 1; round <= 3; round++) {
              x.axpby(Scalar.of(round), ones, Scalar.ZERO);
              x.addDot(x, products, 0);
              Updates.subtractDot(Scalar.ONE, ones, x, products, 1);
              Updates.multiplyDot(ones, ones, x, products, 2);
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
          ones -> {
            try (Scalars scalars = Scalars.where(ones);
                MultiVector x = ones.like();
                MultiVector r = ones.like();
                MultiVector s = ones.like();
                MultiVector p = ones.like()) {
              Variable one = scalars.variable().set(Scalar.ONE);
              Variable ten = scalars.variable().set(Scalar.of(10));
              Variable count = scalars.variable().set(Scalar.of(3));
              Products products = scalars.products(1);
              boolean left = false;
              for (int i = 0; !left && i < 10; i++) {
                left = scalars.ends(condition, count);
                if (!left) {
                  count.difference(count, one);
                  x.axpby(one, ones, Scalar.ONE);
                  Updates.nextDirection(one, x, ones, one, p);
                  Updates.conjugateStep(one.negated(), ones, ones, x, r);
                  Updates.pipelinedStep(one, one, ones, ones, p, s, x, r, products, 0);
                  scalars.sum(products, 1, false);
                  // To judge more than the residual is to wait, and to learn of the end.
                  assertThat(scalars.endIteration(ten, new Recorder(100, true))).isFalse();
                }
              }
              assertThat(left).isTrue();
              assertThat(count.re()).isEqualTo(condition == Condition.NEGATIVE ? -1 : 0);
              double before = first(x);
              x.axpby(one, ones, Scalar.ONE);
              assertThat(first(x)).isEqualTo(before + 1);
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
        ones -> {
          for (int last : new int[] {1, 2, 15, 16, 17, 31, 32, 33, 48, 70}) {
            for (int limit : new int[] {last, last + 1, 20, 100}) {
              try (Scalars scalars = Scalars.where(ones);
                  MultiVector x = ones.like()) {
                Variable one = scalars.variable().set(Scalar.ONE);
                Variable norm = scalars.variable().set(Scalar.of(last + 1.0));
                Variable square = scalars.variable();
                Recorder recorder = new Recorder(limit, false);
                do {
                  x.axpby(one, ones, Scalar.ONE);
                  norm.difference(norm, one);
                  square.product(norm, norm);
                } while (!scalars.endIteration(square, recorder));
                int done = Math.min(last, limit);
                Double[] wanted = new Double[done];
                Arrays.setAll(wanted, i -> last - (double) i);
                assertThat(recorder.norms).containsExactly(wanted);
                assertThat(first(x)).isEqualTo(done);
              }
            }
          }
        });
  }
}
