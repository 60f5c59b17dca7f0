package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.jit.kernel.F64;
import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.util.Arrays;
import java.util.List;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/** Arrays on every device that is here, compared with plain loops over Java arrays. */
@Tag("gpu")
class DeviceArraysTest {
  private static final long[] SIZES = {0, 1, 7, 1_001, 70_003};

  private static double value(long i) {
    return (i * 37 % 101 - 50) * 0.5;
  }

  private static double[] values(long size) {
    return LongStream.range(0, size).mapToDouble(DeviceArraysTest::value).toArray();
  }

  private static void expect(RealArray array, double[] expected) {
    double[] all = array.gather(0);
    if (array.team().communicator().rank() == 0) {
      assertThat(all).isEqualTo(expected);
    }
  }

  private static void expect(IntegerArray array, long[] expected) {
    long[] all = array.gather(0);
    if (array.team().communicator().rank() == 0) {
      assertThat(all).isEqualTo(expected);
    }
  }

  @TestFactory
  Stream<DynamicTest> realsMatchPlainLoops() {
    return OnDevices.tests(
        team -> {
          for (DType type : new DType[] {DType.F64, DType.F32}) {
            for (long size : SIZES) {
              reals(team, type, size);
            }
          }
        });
  }

  private static void reals(Team team, DType type, long size) {
    double[] x = values(size);
    double[] y = LongStream.range(0, size).mapToDouble(i -> value(i * 3 + 1)).toArray();
    try (RealArray a = (RealArray) team.space(size).array(type);
        RealArray b = a.like();
        RealArray c = a.like()) {
      expect(c, new double[(int) size]);
      a.generate(i -> (i * 37 % 101 - 50) * 0.5);
      expect(a, x);
      b.set(i -> ((i * 3 + 1) * 37 % 101 - 50) * 0.5);
      expect(b, y);
      c.fill(-2.5);
      expect(
          c, x.clone().length == 0 ? x : DoubleStream.generate(() -> -2.5).limit(size).toArray());

      c.set(a, b, (p, q) -> p * 2 - q);
      expect(c, zip(x, y, (p, q) -> p * 2 - q));
      assertThat(a.sum()).isEqualTo(Arrays.stream(x).sum());
      assertThat(a.dot(b)).isEqualTo(Arrays.stream(zip(x, y, (p, q) -> p * q)).sum());
      extremes(a, x);
      c.scan(a, ReduceOp.SUM);
      expect(c, running(x));
      if (type == DType.F64) {
        everyForm(a, b, c, x, y);
      }
    }
  }

  private static double[] running(double[] x) {
    double[] running = x.clone();
    Arrays.parallelPrefix(running, Double::sum);
    return running;
  }

  private static void extremes(RealArray a, double[] x) {
    if (x.length > 0) {
      int least = 0;
      int most = 0;
      for (int i = 1; i < x.length; i++) {
        least = x[i] < x[least] ? i : least;
        most = x[i] > x[most] ? i : most;
      }
      assertThat(a.minMax()).isEqualTo(new RealArray.MinMax(x[least], least, x[most], most));
    }
  }

  /** Every form of a call: by the arrays read and written, and by operators. */
  private static void everyForm(RealArray a, RealArray b, RealArray c, double[] x, double[] y) {
    c.set(a, v -> v * 2 + 1);
    expect(c, Arrays.stream(x).map(v -> v * 2 + 1).toArray());
    c.map(Math::abs);
    expect(c, Arrays.stream(x).map(v -> Math.abs(v * 2 + 1)).toArray());
    double shift = 0.25;
    c.set(a, b, (p, q) -> p * 2 - q + shift);
    expect(c, zip(x, y, (p, q) -> p * 2 - q + shift));
    c.set(c, b, (p, q) -> p - q);
    expect(c, zip(x, y, (p, q) -> p * 2 - q + shift - q));
    c.set(a, c, (p, q) -> q - p);
    expect(c, zip(x, y, (p, q) -> p * 2 - q + shift - q - p));
    c.copy(a);
    c.set(c, c, (p, q) -> p + q);
    expect(c, zip(x, y, (p, _) -> p + p));
    c.copy(a);
    c.axpy(-2, b);
    expect(c, zip(x, y, (p, q) -> p - 2 * q));
    c.scale(0.5);
    expect(c, zip(x, y, (p, q) -> (p - 2 * q) * 0.5));
    c.axpy(2, c);
    expect(c, zip(x, y, (p, q) -> (p - 2 * q) * 1.5));

    assertThat(a.min()).isEqualTo(Arrays.stream(x).min().orElse(Double.POSITIVE_INFINITY));
    assertThat(a.max()).isEqualTo(Arrays.stream(x).max().orElse(Double.NEGATIVE_INFINITY));
    double squares = Arrays.stream(x).map(v -> v * v).sum();
    assertThat(a.norm()).isEqualTo(Math.sqrt(squares), within(1e-9));
    assertThat(a.reduce(v -> v > 0 ? 1 : 0, ReduceOp.SUM))
        .isEqualTo((double) Arrays.stream(x).filter(v -> v > 0).count());
    assertThat(a.reduce(b, (p, q) -> Math.abs(p - q), ReduceOp.MAX))
        .isEqualTo(
            Arrays.stream(zip(x, y, (p, q) -> Math.abs(p - q)))
                .max()
                .orElse(Double.NEGATIVE_INFINITY));
    scans(a, b, c, x);
  }

  private static void scans(RealArray a, RealArray b, RealArray c, double[] x) {
    double[] running = running(x);
    double[] before = new double[x.length];
    for (int i = 0; i < x.length; i++) {
      before[i] = i == 0 ? 3 : 3 + running[i - 1];
    }
    c.scanBefore(a, 3, ReduceOp.SUM);
    expect(c, before);
    b.copy(a);
    b.scan(b, ReduceOp.SUM);
    expect(b, running);
    double[] most = x.clone();
    for (int i = 1; i < x.length; i++) {
      most[i] = Math.max(most[i - 1], x[i]);
    }
    b.scan(a, ReduceOp.MAX);
    expect(b, most);
  }

  private interface Pair {
    double of(double a, double b);
  }

  private static double[] zip(double[] x, double[] y, Pair pair) {
    double[] z = new double[x.length];
    Arrays.setAll(z, i -> pair.of(x[i], y[i]));
    return z;
  }

  @TestFactory
  Stream<DynamicTest> integersMatchPlainLoops() {
    return OnDevices.tests(
        team -> {
          for (DType type : new DType[] {DType.I64, DType.I32, DType.I8}) {
            for (long size : SIZES) {
              integers(team, type, size);
            }
          }
        });
  }

  private static void integers(Team team, DType type, long size) {
    long[] x = LongStream.range(0, size).map(i -> i * 37 % 101 - 50).toArray();
    try (IntegerArray a = (IntegerArray) team.space(size).array(type);
        IntegerArray b = a.like()) {
      a.generate(i -> i * 37 % 101 - 50);
      expect(a, x);
      b.axpy(-3, a);
      expect(b, Arrays.stream(x).map(v -> type == DType.I8 ? (byte) (-3 * v) : -3 * v).toArray());
      assertThat(a.sum()).isEqualTo(Arrays.stream(x).sum());
      assertThat(a.dot(a)).isEqualTo(Arrays.stream(x).map(v -> v * v).sum());
      if (size > 0) {
        assertThat(a.minMax())
            .isEqualTo(
                new IntegerArray.MinMax(
                    Arrays.stream(x).min().orElseThrow(),
                    place(x, Arrays.stream(x).min().orElseThrow()),
                    Arrays.stream(x).max().orElseThrow(),
                    place(x, Arrays.stream(x).max().orElseThrow())));
      }
      long[] least = x.clone();
      for (int i = 1; i < x.length; i++) {
        least[i] = Math.min(least[i - 1], x[i]);
      }
      b.scan(a, ReduceOp.MIN);
      expect(b, least);
      if (type == DType.I32) {
        b.fill(3);
        b.set(a, b, (p, q) -> p / q);
        expect(b, Arrays.stream(x).map(v -> v / 3).toArray());
        b.map(v -> v & 15);
        expect(b, Arrays.stream(x).map(v -> v / 3 & 15).toArray());
        b.scale(-1);
        expect(b, Arrays.stream(x).map(v -> -(v / 3 & 15)).toArray());
        assertThat(a.reduce(ReduceOp.BIT_XOR))
            .isEqualTo(Arrays.stream(x).reduce(0, (p, q) -> p ^ q));
      }
    }
  }

  private static int place(long[] x, long value) {
    int i = 0;
    while (x[i] != value) {
      i++;
    }
    return i;
  }

  @TestFactory
  Stream<DynamicTest> functionsOfSeveralIndicesSeeThoseOfTheWholeArray() {
    return OnDevices.tests(
        team -> {
          try (F64Array two = team.f64(7, 5);
              I32Array three = team.i32(4, 3, 5)) {
            two.set((i, j) -> 10 * i + j);
            expect(two, LongStream.range(0, 35).mapToDouble(e -> e / 5 * 10 + e % 5).toArray());
            three.set((i, j, k) -> 100 * i + 10 * j + k);
            expect(
                three,
                LongStream.range(0, 60).map(e -> e / 15 * 100 + e / 5 % 3 * 10 + e % 5).toArray());
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> specialNumbersAreOrdered() {
    return OnDevices.tests(
        team -> {
          try (F64Array a = team.f64(100)) {
            a.generate(i -> i == 40 ? -0.0 : 0.0);
            assertThat(a.minMax()).isEqualTo(new RealArray.MinMax(-0.0, 40, 0.0, 0));
            a.generate(i -> i == 70 ? Double.NaN : i == 20 ? Double.NEGATIVE_INFINITY : 1);
            assertThat(a.minMax())
                .isEqualTo(new RealArray.MinMax(Double.NEGATIVE_INFINITY, 20, Double.NaN, 70));
            assertThat(a.max()).isNaN();
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> elementsOfAllTypesAreCopiedBetweenHostAndDevice() {
    return OnDevices.tests(
        team -> {
          int ranks = team.communicator().size();
          for (DType type : Stream.of(DType.values()).filter(DType::hasReductions).toList()) {
            try (Array device = team.space(30, 3).array(type);
                Array host = team.space(30, 3).onHost().halo(1).array(type);
                Array other =
                    team.space(30, 3).onHost().divided(Decomposition.cyclic(ranks)).array(type)) {
              switch (host) {
                case RealArray real -> real.generate(i -> i);
                case IntegerArray integer -> integer.generate(i -> i);
                case ComplexArray complex -> complex.generate(i -> new Complex(i, -i));
              }
              device.copy(host);
              other.copy(device);
              switch (other) {
                case RealArray real -> assertThat(real.sum()).isEqualTo(4005);
                case IntegerArray integer -> assertThat(integer.sum()).isEqualTo(4005);
                case ComplexArray complex ->
                    assertThat(complex.sum()).isEqualTo(new Complex(4005, -4005));
              }
              switch (device) {
                case RealArray real -> real.fill(2);
                case IntegerArray integer -> integer.fill(2);
                case ComplexArray complex -> complex.fill(new Complex(2, 0));
              }
              host.copy(device);
              switch (host) {
                case RealArray real -> assertThat(real.sum()).isEqualTo(180);
                case IntegerArray integer -> assertThat(integer.sum()).isEqualTo(180);
                case ComplexArray complex ->
                    assertThat(complex.sum()).isEqualTo(new Complex(180, 0));
              }
            }
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> complexArraysAreAddedAndScaledAsOnTheHost() {
    return OnDevices.tests(
        team -> {
          for (DType type : List.of(DType.C128, DType.C64)) {
            for (int halo = 0; halo < 2; halo++) {
              IndexSpace there = team.space(17, 5);
              try (ComplexArray z = (ComplexArray) there.halo(halo).array(type);
                  ComplexArray x = (ComplexArray) there.array(type);
                  ComplexArray hz = (ComplexArray) there.onHost().array(type);
                  ComplexArray hx = (ComplexArray) there.onHost().array(type)) {
                hz.generate(i -> new Complex(Math.sin((double) i), 0.25 * i));
                hx.generate(i -> new Complex((double) i, -Math.cos((double) i)));
                z.copy(hz);
                x.copy(hx);
                for (ComplexArray[] each : new ComplexArray[][] {{z, x}, {hz, hx}}) {
                  each[0].axpy(new Complex(0.5, -2), each[1]);
                  each[0].axpy(-1.25, each[1]);
                  each[0].scale(new Complex(2, 0.75));
                  each[0].axpy(new Complex(0.5, 1), each[0]);
                }
                double size = hz.norm();
                x.copy(z);
                hx.copy(x);
                hx.axpy(-1, hz);
                assertThat(hx.norm()).isLessThan((type == DType.C64 ? 1e-6 : 1e-14) * size);
              }
            }
          }
          try (ComplexArray single = team.space(4).c64();
              ComplexArray twice = team.space(4).c128()) {
            assertThatThrownBy(() -> twice.axpy(1, single))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("of two types");
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> aKernelOfTheUsersTakesAnArray() {
    return OnDevices.tests(
        team -> {
          ComputeClient client = team.space(1).client();
          try (F64Array a = team.f64(1_000);
              JavaKernel twice =
                  JavaKernels.on(client)
                      .kernel((Item it, F64 x) -> x.set(it.global(), 2 * x.get(it.global())))) {
            a.generate(i -> i);
            twice.launch(a.owned().count(), a.buffer());
            assertThat(a.sum()).isEqualTo(999_000);
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> whatIsNotDoneThereIsRefusedByName() {
    return OnDevices.tests(
        team -> {
          ComputeClient client = team.space(1).client();
          String name = client.device().name();
          List<Runnable> refused;
          try (F64Array a = team.f64(10);
              F64Array host = team.space(10).onHost().f64();
              F32Array floats = team.f32(10);
              ComplexArray complex = team.c128(10)) {
            refused = List.of(a::local, () -> a.get(0), () -> a.fetch(0));
            for (Runnable each : refused) {
              assertThatThrownBy(each::run)
                  .isInstanceOf(UnsupportedOperationException.class)
                  .hasMessageContaining("whose elements are in the memory of " + name)
                  .hasMessageContaining("space().onHost()");
            }
            assertThatThrownBy(() -> a.forEach((_, _) -> {}))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("a visitor changes what is on the host");
            assertThatThrownBy(complex::sum)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("which takes real numbers");
            assertThatThrownBy(() -> a.sortWith(host))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("copy one to an array where the other is");
            assertThatThrownBy(() -> a.set(host, x -> x))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("copy one to an array where the other is");
            assertThatThrownBy(() -> host.dot(a)).isInstanceOf(IllegalArgumentException.class);
            floats.generate(i -> 0.5 * i);
            a.set(floats, x -> x + 1);
            assertThat(a.max()).isEqualTo(0.5 * (a.shape().count() - 1) + 1);
            assertThatThrownBy(host::buffer)
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("on the host; use local()");
          }
          F64Array closed = team.f64(10);
          closed.close();
          assertThatThrownBy(closed::sum)
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("is closed");
          assertThatThrownBy(closed::buffer).isInstanceOf(IllegalStateException.class);
        });
  }
}
