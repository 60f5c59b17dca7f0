package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.array.device.DeviceElementwise;
import dev.rialto.array.device.DeviceLayout;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.CompilationException;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Functions of indices that read other arrays: on every device the bits of the host. */
@Tag("gpu")
class DeviceIndicesTest {
  private static final List<DType> TYPES =
      List.of(DType.F64, DType.F32, DType.I64, DType.I32, DType.I8);

  /** Arrays of one space: some to read, and one to set. */
  private record Arrays(F64Array d, F32Array f, I64Array l, I32Array i, I8Array b, Array out)
      implements AutoCloseable {
    static Arrays of(IndexSpace space, DType out) {
      return new Arrays(
          space.f64(),
          space.f32(),
          space.i64(),
          space.i32(),
          (I8Array) space.array(DType.I8),
          space.array(out));
    }

    @Override
    public void close() {
      for (Array each : new Array[] {d, f, l, i, b, out}) {
        each.close();
      }
    }

    void number() {
      d.generate(e -> 0.1 * e - 3);
      f.generate(e -> 0.3 * (e % 11));
      l.generate(e -> e * e - 50);
      i.generate(e -> 7 * e % 23);
      b.generate(e -> e % 100);
      for (Array each : new Array[] {d, f, l, i, b}) {
        if (each.space().stencil() != null) {
          each.updateHalo();
        }
      }
    }

    private double at(long i, long j) {
      return d.get(i - 1, j) + f.get(i, j + 1) * 2 - l.get(i + 1, j) + this.i.get(i, j) / 3.0;
    }

    private long whole(long i, long j) {
      return l.get(i - 1, j) + this.i.get(i, j + 1) * 3L + b.get(i + 1, j) + (long) d.get(i, j);
    }

    void setOne(double a, long n) {
      if (out instanceof RealArray to) {
        to.set(i -> a * d.get(i - 1) + f.get(i + 1) - l.get(i) + this.i.get(i) * n + b.get(i));
      } else {
        ((IntegerArray) out)
            .set(i -> l.get(i - 1) * n + this.i.get(i + 1) + b.get(i) + (long) (a * d.get(i)));
      }
    }

    void setTwo(double a, long n) {
      if (out instanceof RealArray to) {
        to.set((i, j) -> a * at(i, j) + n * b.get(i, j - 1));
      } else {
        ((IntegerArray) out).set((i, j) -> whole(i, j) * n + (long) (a * f.get(i, j - 1)));
      }
    }

    void setThree(double a, long n) {
      if (out instanceof RealArray to) {
        to.set(
            (i, j, k) ->
                a * (d.get(i - 1, j, k) + d.get(i + 1, j, k) + f.get(i, j - 1, k))
                    - f.get(i, j + 1, k)
                    + l.get(i, j, k - 1) * n
                    + this.i.get(i, j, k + 1)
                    - b.get(i, j, k),
            d,
            f,
            l,
            this.i);
      } else {
        ((IntegerArray) out)
            .set(
                (i, j, k) ->
                    l.get(i - 1, j, k) * n
                        + this.i.get(i, j + 1, k)
                        + b.get(i, j, k - 1)
                        + (long) (a * d.get(i, j, k + 1)),
                l,
                this.i,
                b,
                d);
      }
    }
  }

  private static void expectSame(Array device, Array host) {
    boolean root = device.team().communicator().rank() == 0;
    switch (device) {
      case RealArray real -> {
        double[] found = real.gather(0);
        double[] wanted = ((RealArray) host).gather(0);
        if (root) {
          assertThat(found).as("%s", device).isEqualTo(wanted);
        }
      }
      case IntegerArray whole -> {
        long[] found = whole.gather(0);
        long[] wanted = ((IntegerArray) host).gather(0);
        if (root) {
          assertThat(found).as("%s", device).isEqualTo(wanted);
        }
      }
      case ComplexArray _ -> throw new IllegalArgumentException("complex");
    }
  }

  private static List<IndexSpace> spaces(Team team) {
    int ranks = team.communicator().size();
    return List.of(
        team.space(70).halo(1).periodic(),
        team.space(50).halo(new int[] {2}, new int[] {1}),
        team.space(12, 70).halo(1).periodic().star(),
        team.space(9, 13).halo(new int[] {1, 2}, new int[] {3, 1}).periodic(true, false),
        team.space(7, 11).over(1, ranks).halo(1),
        team.space(9, 10, 70).halo(1).periodic(),
        team.space(6, 7, 8).over(1, 1, ranks).halo(new int[] {1, 1, 2}, new int[] {2, 1, 1}),
        team.space(6, 9, 5).over(1, ranks, 1).halo(1).periodic(false, true, true).star());
  }

  @TestFactory
  Stream<DynamicTest> elementsOfOtherArraysAreThoseOfTheHost() {
    return OnDevices.tests(
        team -> {
          int next = 0;
          for (IndexSpace space : spaces(team)) {
            // Each rank compiles what its part needs: one type of each space will do for several.
            DType one = TYPES.get(next++ % TYPES.size());
            for (DType type : team.communicator().size() == 1 ? TYPES : List.of(one)) {
              try (Arrays there = Arrays.of(space, type);
                  Arrays here = Arrays.of(space.onHost(), type)) {
                for (Arrays each : new Arrays[] {there, here}) {
                  each.number();
                  switch (space.shape().rank()) {
                    case 1 -> each.setOne(0.7, 3);
                    case 2 -> each.setTwo(0.7, 3);
                    default -> each.setThree(0.7, 3);
                  }
                }
                expectSame(there.out(), here.out());
              }
            }
          }
        });
  }

  private static void step(F64Array u, F64Array to, double factor) {
    to.set(
        (i, j) ->
            u.get(i, j)
                + factor
                    * (u.get(i - 1, j)
                        + u.get(i + 1, j)
                        + u.get(i, j - 1)
                        + u.get(i, j + 1)
                        - 4 * u.get(i, j)),
        u);
  }

  private static int kernels(Array array) {
    return DeviceElementwise.kernels(array.operand).indices().count();
  }

  @TestFactory
  Stream<DynamicTest> stepsWithArraysInTurnAndAFactorThatChangesNeedThreeKernels() {
    return OnDevices.tests(
        team -> {
          IndexSpace space = team.space(20, 33).halo(1).periodic().star();
          try (F64Array one = space.f64();
              F64Array two = space.f64();
              F64Array here = space.onHost().f64();
              F64Array next = here.like()) {
            one.set((i, j) -> i * 3 % 7 - j % 5);
            here.set((i, j) -> i * 3 % 7 - j % 5);
            int before = kernels(one);
            for (int n = 0; n < 6; n++) {
              step(one, two, 0.01 * n);
              step(two, one, 0.01 * n);
              step(here, next, 0.01 * n);
              step(next, here, 0.01 * n);
            }
            assertThat(kernels(one) - before).isEqualTo(3);
            expectSame(one, here);
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> functionsSeeTheElementsThatCapturedArraysHaveNow() {
    return OnDevices.tests(
        team -> {
          double[] factor = new double[1];
          try (F64Array x = team.f64(5)) {
            for (int n = 1; n < 4; n++) {
              factor[0] = n;
              x.set(i -> i * factor[0]);
              assertThat(x.sum()).isEqualTo(10 * n);
              x.map(v -> v + factor[0]);
              assertThat(x.sum()).isEqualTo(15 * n);
              assertThat(x.count(v -> v > factor[0])).isEqualTo(4);
            }
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> anArrayIsSetFromItself() {
    return OnDevices.tests(
        team -> {
          try (F64Array x = team.space(21, 9).halo(1).f64();
              F64Array here = x.space().onHost().f64()) {
            x.set((i, j) -> i + 10 * j);
            x.set((i, j) -> x.get(i, j) * x.get(i, j) - i);
            here.set((i, j) -> (i + 10.0 * j) * (i + 10.0 * j) - i);
            expectSame(x, here);
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> arraysOfOtherShapesAreRead() {
    return OnDevices.tests(
        team -> {
          try (F64Array x = team.f64(30);
              I32Array table = team.space(30, 2).i32();
              F64Array deep = team.space(30, 2, 3, 2).f64();
              F64Array here = x.space().onHost().f64()) {
            table.set((i, j) -> 2 * i + j);
            deep.generate(e -> e);
            x.set(i -> table.get(i, 0) * 100 + table.get(i, 1) + 0.25 * deep.get(i, 1, 2, 0));
            here.set(i -> 2 * i * 100 + 2 * i + 1 + 0.25 * (i * 12 + 10));
            expectSame(x, here);
          }
        });
  }

  /** An object whose method is the function, as solvers have them. */
  private record Doubling(F64Array from, F64Array to) {
    void run() {
      to.set(i -> 2 * from.get(i));
    }
  }

  @TestFactory
  Stream<DynamicTest> arraysOfObjectsAreReadWhereTheyAreNow() {
    return OnDevices.tests(
        team -> {
          try (F64Array from = team.space(30).halo(1).f64();
              F64Array to = team.f64(30);
              F64Array here = to.space().onHost().f64()) {
            Doubling doubling = new Doubling(from, to);
            from.set(i -> i);
            doubling.run();
            here.set(i -> 2 * i);
            expectSame(to, here);
            from.resize(60);
            from.resize(30);
            from.set(i -> i + 1);
            doubling.run();
            here.set(i -> 2 * (i + 1));
            expectSame(to, here);
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> indicesThatARankDoesNotHaveAreTold() {
    return OnDevices.tests(
        team -> {
          int ranks = team.communicator().size();
          try (F64Array u = team.space(6L * ranks, 5).halo(1).f64();
              F64Array to = u.like()) {
            u.set((i, j) -> i);
            to.set((i, j) -> u.get(i + 1, j - 1), u);
            long first = DeviceLayout.of(u.operand).first(0);
            to.set((i, j) -> u.get(i, j + 2));
            assertThatThrownBy(to::sum)
                .rootCause()
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("DeviceIndicesTest.java:")
                .hasMessageContaining("reads index 6 of axis 1 of an array of F64")
                .hasMessageContaining("indices -1 to 5");
            to.set((i, j) -> u.get(i == first ? i - 2 : i, j));
            assertThatThrownBy(to::sum)
                .rootCause()
                .hasMessageContaining("reads index %d of axis 0".formatted(first - 2))
                .hasMessageContaining("indices %d to %d".formatted(first - 1, first + 6));
            double[] table = {1, 2, 3};
            to.set(u, x -> table[(int) x + 3]);
            assertThatThrownBy(to::sum)
                .rootCause()
                .hasMessageContaining("of an array from outside, which has indices 0 to 2");
            to.set((i, j) -> u.get(i, j) - i);
            assertThat(to.sum()).isZero();
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> whatHasNoKernelIsRefusedWithItsLine() {
    return OnDevices.tests(
        team -> {
          try (F64Array u = team.f64(40, 3);
              F64Array here = team.space(40, 3).onHost().f64();
              F64Array dealt =
                  team.space(40, 3)
                      .divided(Decomposition.cyclic(team.communicator().size(), 1))
                      .f64();
              F64Array to = u.like()) {
            assertThatThrownBy(() -> to.set((i, j) -> Double.parseDouble("" + i)))
                .isInstanceOf(CompilationException.class)
                .hasMessageContaining("makes text")
                .hasMessageContaining("DeviceIndicesTest.java:");
            assertThatThrownBy(() -> to.set((i, j) -> u.shape().extent(0)))
                .isInstanceOf(CompilationException.class)
                .hasMessageContaining("calls shape of F64 array")
                .hasMessageContaining("copy what else they need to a local variable")
                .hasMessageContaining("DeviceIndicesTest.java:");
            assertThatThrownBy(() -> to.set((i, j) -> here.get(i, j)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("copy that to an array there");
            if (team.communicator().size() > 1) {
              assertThatThrownBy(() -> to.set((i, j) -> dealt.get(i, j)))
                  .isInstanceOf(UnsupportedOperationException.class)
                  .hasMessageContaining("which is not in blocks");
              assertThatThrownBy(() -> dealt.set((i, j) -> i))
                  .isInstanceOf(UnsupportedOperationException.class)
                  .hasMessageContaining("which is not in blocks");
            }
          }
        });
  }
}
