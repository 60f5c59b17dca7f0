package dev.rialto.fft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.data.Offset.offset;

import dev.rialto.fft.engine.KernelEngine;
import dev.rialto.fft.engine.Numbers;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.ComputeDevice;
import dev.rialto.runtime.Devices;
import dev.rialto.runtime.Resource;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import dev.rialto.spi.fft.FftSpec.Kind;
import dev.rialto.tck.TestDevices;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Proxy;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Transforms by kernels, on the host's cores, are the sums that they stand for. */
class KernelEngineTest {
  private static final ComputeClient CLIENT = Devices.open("cpu:0");

  /** Compares a transform of numbers between -1 and 1 with the sums that define it. */
  private static void check(FftSpec spec) {
    DType type = spec.precision();
    long inNumbers = spec.inBytes() / type.size();
    long outNumbers = spec.outBytes() / type.size();
    double[] in = new Random(spec.length()).doubles(inNumbers, -1, 1).toArray();
    double[] wanted = new double[Math.toIntExact(outNumbers)];
    for (long plane = 0; plane < spec.planes(); plane++) {
      for (long line = 0; line < spec.lines(); line++) {
        sums(spec, plane, line, in, wanted);
      }
    }
    try (FftPlan plan = new KernelEngine(CLIENT).plan(spec);
        Buffer from = CLIENT.create(segment(type, in));
        Buffer to = CLIENT.create(segment(type, new double[wanted.length]));
        Buffer work = CLIENT.empty(Math.max(1, plan.workspaceBytes()));
        Resource given = CLIENT.resource(from, true);
        Resource got = CLIENT.resource(to, true);
        Resource room = CLIENT.resource(work, true)) {
      plan.execute(given.segment(), got.segment(), room.segment());
      double most = (type == DType.F32 ? 1e-6 : 1e-14) * (8 + spec.length());
      for (int i = 0; i < wanted.length; i++) {
        assertThat(number(type, got.segment(), i))
            .as("number %d of %s", i, spec)
            .isCloseTo(wanted[i], offset(most));
      }
    }
  }

  private static MemorySegment segment(DType type, double[] values) {
    if (type == DType.F64) {
      return MemorySegment.ofArray(values);
    }
    float[] floats = new float[values.length];
    for (int i = 0; i < floats.length; i++) {
      floats[i] = (float) values[i];
    }
    return MemorySegment.ofArray(floats);
  }

  private static double number(DType type, MemorySegment memory, int index) {
    return Numbers.real(type, memory, index);
  }

  private static void sums(FftSpec spec, long plane, long line, double[] in, double[] out) {
    long n = spec.length();
    int sign = spec.kind() == Kind.INVERSE || spec.kind() == Kind.COMPLEX_TO_REAL ? 1 : -1;
    long from = plane * spec.inPlane() + line * spec.inDistance();
    long to = plane * spec.outPlane() + line * spec.outDistance();
    for (long k = 0; k < spec.outPoints(); k++) {
      double re = 0;
      double im = 0;
      for (long j = 0; j < n; j++) {
        double a;
        double b = 0;
        if (spec.kind() == Kind.REAL_TO_COMPLEX) {
          a = in[(int) (from + j * spec.inStride())];
        } else {
          boolean mirrored = j >= spec.inPoints();
          int place = (int) (2 * (from + (mirrored ? n - j : j) * spec.inStride()));
          a = in[place];
          b = mirrored ? -in[place + 1] : in[place + 1];
        }
        double angle = sign * 2 * Math.PI * (j * k % n) / n;
        re += a * Math.cos(angle) - b * Math.sin(angle);
        im += a * Math.sin(angle) + b * Math.cos(angle);
      }
      long place = to + k * spec.outStride();
      if (spec.kind() == Kind.COMPLEX_TO_REAL) {
        out[(int) place] = spec.scale() * re;
      } else {
        out[(int) (2 * place)] = spec.scale() * re;
        out[(int) (2 * place) + 1] = spec.scale() * im;
      }
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 8, 12, 16, 17, 30, 49, 64, 97, 120, 143, 158, 256, 1009})
  void linesOfEveryLengthAreTheSums(long length) {
    for (Kind kind :
        new Kind[] {Kind.FORWARD, Kind.INVERSE, Kind.REAL_TO_COMPLEX, Kind.COMPLEX_TO_REAL}) {
      for (DType type : new DType[] {DType.F64, DType.F32}) {
        check(FftSpec.of(kind, type, length, 2));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"FORWARD", "INVERSE", "REAL_TO_COMPLEX", "COMPLEX_TO_REAL"})
  void linesMayLieAnywhere(Kind kind) {
    for (long length : new long[] {12, 19}) {
      check(
          new FftSpec(kind, DType.F64, length, 3, 7, 2, 5, 1)
              .withPlanes(2, 7 * length + 3, 5 * length + 1)
              .withScale(-0.25));
      check(new FftSpec(kind, DType.F64, length, 3, 1, length + 2, 2, 2 * length).withScale(3));
    }
  }

  @Test
  void noLinesAreNoWork() {
    check(FftSpec.of(Kind.FORWARD, DType.F64, 8, 0));
  }

  @Test
  void resultsMayTakeThePlaceOfTheInput() {
    for (long length : new long[] {2, 4, 24, 31}) {
      FftSpec spec = FftSpec.of(Kind.FORWARD, DType.F64, length, 3);
      double[] in = new Random(1).doubles(6 * length, -1, 1).toArray();
      double[] wanted = new double[in.length];
      for (int line = 0; line < 3; line++) {
        sums(spec, 0, line, in, wanted);
      }
      try (FftPlan plan = new KernelEngine(CLIENT).plan(spec);
          Buffer field = CLIENT.create(MemorySegment.ofArray(in));
          Buffer work = CLIENT.empty(plan.workspaceBytes());
          Resource there = CLIENT.resource(field, true);
          Resource room = CLIENT.resource(work, true)) {
        plan.execute(there.segment(), there.segment(), room.segment());
        for (int i = 0; i < wanted.length; i++) {
          assertThat(number(DType.F64, there.segment(), i)).isCloseTo(wanted[i], offset(1e-12));
        }
      }
    }
  }

  @Test
  void aPlanWhoseKernelsDoNotCompileKeepsNothing() {
    Device plain = TestDevices.get("plain");
    Device broken =
        (Device)
            Proxy.newProxyInstance(
                Device.class.getClassLoader(),
                new Class<?>[] {Device.class},
                (_, method, arguments) -> {
                  if (method.getName().equals("compiler")) {
                    throw new IllegalStateException("no compiler");
                  }
                  return method.invoke(plain, arguments);
                });
    try (ComputeDevice device = ComputeDevice.open(broken)) {
      KernelEngine engine = new KernelEngine(device.client());
      for (long length : new long[] {64, 17}) {
        assertThatThrownBy(() -> engine.plan(FftSpec.of(Kind.FORWARD, DType.F64, length, 1)))
            .hasMessage("no compiler");
      }
      assertThat(device.client().memoryUsage().used()).isZero();
    }
  }

  @Test
  void whatKernelsDoNotDoIsRefused() {
    KernelEngine engine = new KernelEngine(CLIENT);
    assertThatThrownBy(() -> engine.plan(FftSpec.of(Kind.DCT2, DType.F64, 8, 1)))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("complex and real transforms");
    FftPlan plan = engine.plan(FftSpec.of(Kind.FORWARD, DType.F64, 8, 1));
    plan.close();
    plan.close();
    MemorySegment none = MemorySegment.NULL;
    assertThatIllegalStateException().isThrownBy(() -> plan.execute(none, none, none));
  }
}
