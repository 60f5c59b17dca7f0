package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.jit.kernel.F64;
import dev.rialto.jit.kernel.I32;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.runtime.Devices;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.device.Device;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Kernels of a user's own, launched with arrays on the host and on devices. */
@Tag("gpu")
class ArrayKernelsTest {
  private static Stream<DynamicTest> tests(OnDevices.OnTeam body) {
    Device host = Devices.host().device().spi();
    return Stream.concat(
        Stream.of(1, 3)
            .map(
                ranks ->
                    DynamicTest.dynamicTest(
                        "host on " + ranks, () -> OnDevices.run(host, ranks, body))),
        OnDevices.tests(body));
  }

  @TestFactory
  Stream<DynamicTest> aKernelWorksOnWhatARankOwns() {
    return tests(
        team -> {
          try (F64Array x = team.f64(1_003);
              F64Array y = x.like();
              JavaKernel axpy = GuideExample.axpy(team)) {
            x.set(i -> i);
            y.fill(1);
            for (int step = 0; step < 3; step++) {
              axpy.launch(y.owned().count(), y, x, 2.0);
            }
            assertThat(y.sum()).isEqualTo(1_003 + 6 * (1_002 * 1_003 / 2.0));
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> halosStepsAndTransposesAreUsedByAxes() {
    return tests(
        team -> {
          int ranks = team.size();
          try (F64Array padded = team.space(4L * ranks, 6).halo(1).f64();
              F64Array plain = team.f64(4L * ranks, 6);
              JavaKernel number =
                  team.kernels()
                      .withBlock(2, 8)
                      .kernel(
                          (Item it, F64 a) ->
                              a.set(it.global(0), it.global(1), (double) it.global()));
              JavaKernel differences =
                  team.kernels()
                      .withBlock(2, 8)
                      .kernel(
                          (Item it, F64 to, F64 from) -> {
                            long i = it.global(0);
                            long j = it.global(1);
                            double down = from.get(i + 2, j + 1) - from.get(i, j + 1);
                            to.set(i, j, down + from.get(i + 1, j + 2) - from.get(i + 1, j));
                          });
              JavaKernel flat =
                  team.kernels()
                      .kernel((Item it, F64 a) -> a.set(it.global(), (double) it.global()))) {
            number.launch(Shape.of(4, 6), padded);
            flat.launch(24, plain);
            plain.axpy(-1, padded);
            assertThat(plain.norm()).isZero();
            assertThatThrownBy(() -> flat.launch(24, padded))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("argument 1")
                .hasMessageContaining("index for each axis");
            plain.fill(0);
            F64Array even = plain.slice(1, 0, 6, 2);
            number.launch(Shape.of(4, 3), even);
            assertThat(plain.sum()).isEqualTo(66.0 * ranks);
            assertThat(even.max()).isEqualTo(11);
            padded.set((i, j) -> 6 * i + j);
            padded.updateHalo();
            differences.launch(Shape.of(4, 6), plain, padded.withHalo());
            long rows = 4L * ranks;
            assertThat(plain.slice(0, 1, rows - 1).slice(1, 1, 5).max()).isEqualTo(12 + 2);
            assertThat(plain.slice(0, 1, rows - 1).slice(1, 1, 5).min()).isEqualTo(12 + 2);
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> mistakesAreToldAndTheArrayCanBeUsedOn() {
    return tests(
        team -> {
          try (F64Array x = team.f64(30L * team.size());
              F64Array other = x.space().onHost().f64();
              JavaKernel gather =
                  team.kernels()
                      .kernel((Item it, F64 a, I32 at) -> a.set(at.get(it.global()), 7))) {
            assertThatThrownBy(
                    () -> {
                      gather.launch(3, x, new int[] {1, 2, 30});
                      double _ = x.sum();
                    })
                .rootCause()
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("ArrayKernelsTest.java:")
                .hasMessageContaining("item 2 writes index 30 of argument 1");
            x.fill(1);
            gather.launch(2, x, new int[] {3, 4});
            assertThat(x.sum()).isEqualTo(42.0 * team.size());
            if (x.isOnDevice()) {
              assertThatThrownBy(() -> gather.launch(1, other, new int[1]))
                  .isInstanceOf(IllegalArgumentException.class)
                  .hasMessageContaining("team.kernels()");
            }
            F64Array closed = x.like();
            closed.close();
            assertThatThrownBy(() -> gather.launch(1, closed, new int[1]))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("closed");
          }
        });
  }
}
