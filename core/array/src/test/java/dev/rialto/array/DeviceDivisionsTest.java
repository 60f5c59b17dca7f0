package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.jit.kernel.F64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.tck.TestDevices;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Arrays on devices that are divided in any way, and their halos, compared with the host's. */
@Tag("gpu")
class DeviceDivisionsTest {
  /** A type for each size of elements. */
  private static final List<DType> EACH_SIZE =
      List.of(DType.C128, DType.F64, DType.I32, DType.F16, DType.I8);

  private static List<Decomposition> divisions(int ranks) {
    return List.of(
        Decomposition.block(),
        Decomposition.block(1, ranks),
        Decomposition.cyclic(ranks),
        Decomposition.blockCyclic(new long[] {2, 3}, 1, ranks),
        Decomposition.hash());
  }

  @TestFactory
  Stream<DynamicTest> elementsKeepTheirIndicesWhenTheyAreDividedAnew() {
    return OnDevices.tests(DeviceDivisionsTest::divideAnew);
  }

  /** A device without compiled kernels, whose exchanges are by kernels of its own. */
  @ParameterizedTest
  @ValueSource(strings = {"plain", "plain-connected"})
  void elementsKeepTheirIndicesByKernelsOfTheDevice(String name) {
    OnDevices.run(TestDevices.get(name, 1).getFirst(), 3, DeviceDivisionsTest::divideAnew);
  }

  private static void divideAnew(Team team) {
    int ranks = team.communicator().size();
    for (DType type : EACH_SIZE) {
      try (Array host = team.space(11, 7).onHost().array(type);
          Array back = host.like();
          Array device = team.space(11, 7).array(type)) {
        number(host);
        device.copy(host);
        for (Decomposition each : divisions(ranks)) {
          device.redistribute(each);
          back.copy(device);
          expectNumbers(back);
          try (Array other = team.space(11, 7).halo(1).array(type)) {
            other.copy(device);
            other.updateHalo();
            device.copy(other);
            back.copy(other);
          }
          expectNumbers(back);
        }
        device.resize(13, 5);
        device.resize(11, 7);
        back.copy(device);
        if (back instanceof RealArray real) {
          expect(real, e -> e % 7 < 5 ? e : 0);
        }
      }
    }
  }

  private static void number(Array array) {
    switch (array) {
      case RealArray real -> real.generate(i -> i);
      case IntegerArray integer -> integer.generate(i -> i);
      case ComplexArray complex -> complex.generate(i -> new Complex(i, -i));
    }
  }

  private interface OfNumber {
    double of(long number);
  }

  private static void expect(RealArray array, OfNumber value) {
    double[] all = array.gather(0);
    double[] wanted = LongStream.range(0, array.shape().count()).mapToDouble(value::of).toArray();
    if (array.team().communicator().rank() == 0) {
      assertThat(all).as("%s", array).isEqualTo(wanted);
    }
  }

  private static void expectNumbers(Array array) {
    switch (array) {
      case RealArray real -> expect(real, i -> i);
      case IntegerArray integer -> {
        long[] all = integer.gather(0);
        if (array.team().communicator().rank() == 0) {
          assertThat(all).containsExactly(LongStream.range(0, all.length).toArray());
        }
      }
      case ComplexArray complex -> {
        Complex[] all = complex.gather(0);
        if (array.team().communicator().rank() == 0) {
          assertThat(all)
              .containsExactly(
                  IntStream.range(0, all.length)
                      .mapToObj(i -> new Complex(i, -i))
                      .toArray(Complex[]::new));
        }
      }
    }
  }

  @TestFactory
  Stream<DynamicTest> algorithmsLeaveAHaloAsItIs() {
    return OnDevices.tests(
        team -> {
          int ranks = team.communicator().size();
          for (int[] over : new int[][] {{ranks, 1, 1}, {1, 1, ranks}}) {
            IndexSpace space = team.space(6, 5, 7).over(over).halo(2);
            try (F64Array a = space.f64();
                F64Array b = team.space(6, 5, 7).over(over).f64();
                F64Array c = space.f64()) {
              algorithms(a, b, c);
            }
          }
        });
  }

  private static void algorithms(F64Array a, F64Array b, F64Array c) {
    a.set((i, j, k) -> 100 * i + 10 * j + k);
    b.generate(e -> e);
    expect(a, e -> 100 * (e / 35) + 10 * (e / 7 % 5) + e % 7);
    expect(b, e -> e);
    c.set(a, b, (x, y) -> x - y);
    expect(c, e -> 100 * (e / 35) + 10 * (e / 7 % 5) + e % 7 - e);
    c.fill(3);
    c.axpy(2, b);
    c.map(x -> x + 1);
    c.scale(0.5);
    expect(c, e -> 2 + e);
    assertThat(c.sum()).isEqualTo(209 * 210 / 2 + 420);
    assertThat(c.dot(b)).isEqualTo((double) LongStream.range(0, 210).map(e -> e * (e + 2)).sum());
    assertThat(a.minMax()).isEqualTo(new RealArray.MinMax(0, 0, 546, 209));
    // Nothing above has written around the elements: a halo that was never updated is zero.
    assertThat(frame(c)).containsOnly(0);
    c.copy(a);
    expect(c, e -> 100 * (e / 35) + 10 * (e / 7 % 5) + e % 7);
    assertThat(frame(c)).containsOnly(0);
    c.scan(b, ReduceOp.SUM);
    expect(c, e -> 0.5 * e * (e + 1));
    c.sortDescending();
    expect(c, e -> 0.5 * (209 - e) * (210 - e));
    assertThat(frame(c)).containsOnly(0);
  }

  /** Returns what lies around a rank's elements. */
  private static double[] frame(F64Array array) {
    double[] all = memory(array);
    boolean[] owned = new boolean[all.length];
    array
        .owned()
        .forEachRun(
            (from, bytes) -> Arrays.fill(owned, (int) from / 8, (int) (from + bytes) / 8, true));
    return IntStream.range(0, all.length).filter(i -> !owned[i]).mapToDouble(i -> all[i]).toArray();
  }

  private static double[] memory(F64Array array) {
    return array.isOnDevice()
        ? array
            .space()
            .client()
            .read(array.buffer())
            .toArray(java.lang.foreign.ValueLayout.JAVA_DOUBLE)
        : array.local().toArray(java.lang.foreign.ValueLayout.JAVA_DOUBLE);
  }

  @TestFactory
  Stream<DynamicTest> halosHoldWhatTheyHoldOnTheHost() {
    return OnDevices.tests(
        team -> {
          int ranks = team.communicator().size();
          for (boolean star : new boolean[] {false, true}) {
            for (int[] over : new int[][] {{ranks, 1}, {1, ranks}}) {
              IndexSpace space = team.space(9, 8).over(over).halo(2).periodic();
              space = star ? space.star() : space;
              try (F64Array device = space.f64();
                  F64Array host = space.onHost().f64()) {
                device.set((i, j) -> 10 * i + j);
                host.set((i, j) -> 10 * i + j);
                device.startHalo();
                host.startHalo();
                host.awaitHalo();
                device.awaitHalo();
                assertThat(memory(device)).isEqualTo(memory(host));
              }
            }
          }
        });
  }

  /** The way a simulation goes: a kernel of one's own between two updates of a halo. */
  @TestFactory
  Stream<DynamicTest> aStencilOfOnesOwnStepsAsOnTheHost() {
    return OnDevices.tests(
        team -> {
          IndexSpace space = team.space(12, 10).halo(1).periodic();
          try (F64Array now = space.f64();
              F64Array next = space.f64();
              F64Array host = space.onHost().f64();
              F64Array hostNext = space.onHost().f64();
              F64Array result = space.onHost().f64();
              JavaKernel step =
                  JavaKernels.on(space.client())
                      .kernel(
                          (Item it, F64 z, F64 x) -> {
                            long p = (it.global() / 10 + 1) * 12 + it.global() % 10 + 1;
                            z.set(
                                p,
                                0.25
                                    * (x.get(p - 12)
                                        + x.get(p + 12)
                                        + x.get(p - 1)
                                        + x.get(p + 1)));
                          })) {
            now.set((i, j) -> i * j % 7);
            host.set((i, j) -> i * j % 7);
            F64Array[] device = {now, next};
            F64Array[] plain = {host, hostNext};
            for (int s = 0; s < 5; s++) {
              F64Array x = plain[s % 2];
              plain[(s + 1) % 2].set(
                  (i, j) ->
                      0.25
                          * (x.get(i - 1, j) + x.get(i + 1, j) + x.get(i, j - 1) + x.get(i, j + 1)),
                  x);
              device[s % 2].updateHalo();
              if (now.owned().count() > 0) {
                step.launch(
                    now.owned().count(), device[(s + 1) % 2].buffer(), device[s % 2].buffer());
              }
            }
            result.copy(next);
            assertThat(result.gather(0)).containsExactly(hostNext.gather(0));
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> whatHasNoRuleForNumbersTakesFunctionsOfThem() {
    return OnDevices.tests(
        team -> {
          try (F64Array a = team.space(10, 3).divided(Decomposition.hash()).f64()) {
            if (team.communicator().size() == 1) {
              a.set((i, j) -> i + j);
              assertThat(a.sum()).isEqualTo(3 * 45 + 10 * 3);
            } else {
              assertThatThrownBy(() -> a.set((i, j) -> i))
                  .isInstanceOf(UnsupportedOperationException.class)
                  .hasMessageContaining("a function of indices for F64 array")
                  .hasMessageContaining("use a function of numbers of elements");
            }
            a.generate(e -> 5 - e);
            assertThat(a.minMax()).isEqualTo(new RealArray.MinMax(-24, 29, 5, 0));
            a.fill(2);
            assertThat(a.sum()).isEqualTo(60);
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> aSwapExchangesElementsAndHalos() {
    return OnDevices.tests(
        team -> {
          for (IndexSpace space :
              new IndexSpace[] {team.space(12).halo(1), team.space(12).onHost().halo(1)}) {
            try (F64Array a = space.f64();
                F64Array b = a.like();
                F64Array other = team.space(12).onHost().f64()) {
              a.generate(e -> e);
              b.fill(7);
              a.updateHalo();
              RealArray view = a.slice(0, 0, 5);
              double[] memory = memory(a);
              a.swap(b);
              assertThat(memory(b)).isEqualTo(memory);
              assertThat(a.sum()).isEqualTo(84);
              assertThat(b.sum()).isEqualTo(66);
              assertThatThrownBy(view::sum)
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessageContaining("make the view anew");
              assertThatThrownBy(() -> a.swap(other))
                  .isInstanceOf(IllegalArgumentException.class)
                  .hasMessageContaining("give arrays of one type and space");
              assertThatThrownBy(() -> a.slice(0, 0, 12).swap(b))
                  .isInstanceOf(UnsupportedOperationException.class)
                  .hasMessageContaining("a view");
              assertThatThrownBy(() -> a.zip(b, (x, y) -> x).swap(b))
                  .isInstanceOf(UnsupportedOperationException.class);
            }
          }
        });
  }
}
