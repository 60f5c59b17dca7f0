package dev.rialto.fft;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.spi.Backends;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.fft.FftEngine;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import dev.rialto.spi.fft.FftSpec.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The embedded engine and FFTW give the same; skipped, visibly, where FFTW is not installed. */
class EnginesAgreeTest {
  private static final long SEED = 20261118;

  @BeforeAll
  static void isInstalled() {
    assumeTrue(
        Engines.all().stream().anyMatch(engine -> engine.name().equals("fftw")),
        "FFTW is not installed; apt install libfftw3-double3 libfftw3-single3");
  }

  @ParameterizedTest
  @EnumSource(Kind.class)
  void onLinesThatLieAnywhere(Kind kind) {
    try (Executor executor = Backends.get("cpu").openExecutor(2)) {
      for (DType precision : new DType[] {DType.F64, DType.F32}) {
        for (int n : kind == Kind.FORWARD ? new int[] {30, 64, 101} : new int[] {30}) {
          assertAgree(executor, FftSpec.of(kind, precision, n, 150));
          // Columns, and columns whose points are so far apart that they go through a cache.
          assertAgree(
              executor, new FftSpec(kind, precision, n, 300, 300, 1, 300, 1).withScale(0.5));
          assertAgree(executor, new FftSpec(kind, precision, n, 150, 4099, 1, 4099, 1));
          assertAgree(
              executor,
              new FftSpec(kind, precision, n, 20, 4099, 1, 1, 300).withPlanes(3, 20, 9000));
        }
      }
    }
  }

  private static void assertAgree(Executor executor, FftSpec spec) {
    try (Arena arena = Arena.ofShared();
        FftPlan java = Engines.get("java").plan(spec);
        FftPlan alone = Engines.get("fftw").plan(spec);
        FftPlan together = Engines.get("fftw").plan(spec, executor)) {
      MemorySegment in = arena.allocate(spec.inBytes(), 64);
      fill(in, spec.precision());
      MemorySegment expected = execute(java, in, arena);
      assertClose(spec, execute(alone, in, arena), expected);
      assertClose(spec, execute(together, in, arena), expected);
      boolean alike =
          spec.inType() == spec.outType()
              && spec.inStride() == spec.outStride()
              && spec.inDistance() == spec.outDistance();
      if (alike) {
        alone.execute(in, in, arena.allocate(alone.workspaceBytes(), 64));
        assertClose(spec, in, expected);
      }
    }
  }

  private static MemorySegment execute(FftPlan plan, MemorySegment in, Arena arena) {
    MemorySegment out = arena.allocate(plan.spec().outBytes(), 64);
    plan.execute(in, out, arena.allocate(plan.workspaceBytes(), 64));
    return out;
  }

  private static void fill(MemorySegment memory, DType precision) {
    Random random = new Random(SEED);
    for (long i = 0; i < memory.byteSize() / precision.size(); i++) {
      if (precision == DType.F64) {
        memory.setAtIndex(JAVA_DOUBLE, i, random.nextDouble(-1, 1));
      } else {
        memory.setAtIndex(JAVA_FLOAT, i, random.nextFloat(-1, 1));
      }
    }
  }

  private static double get(MemorySegment memory, DType precision, long i) {
    return precision == DType.F64
        ? memory.getAtIndex(JAVA_DOUBLE, i)
        : memory.getAtIndex(JAVA_FLOAT, i);
  }

  private static void assertClose(FftSpec spec, MemorySegment actual, MemorySegment expected) {
    DType precision = spec.precision();
    int parts = spec.outType().size() / precision.size();
    double worst = 0;
    for (long i = 0; i < spec.planes() * spec.lines() * spec.outPoints() * parts; i++) {
      long point = i / parts;
      long line = point / spec.outPoints();
      long element =
          line / spec.lines() * spec.outPlane()
              + line % spec.lines() * spec.outDistance()
              + point % spec.outPoints() * spec.outStride();
      long at = element * parts + i % parts;
      worst = Math.max(worst, Math.abs(get(actual, precision, at) - get(expected, precision, at)));
    }
    assertThat(worst)
        .as("%s, seed %d", spec, SEED)
        .isLessThan(spec.length() * (precision == DType.F64 ? 1e-14 : 5e-6));
  }

  @Test
  void onDistributedCubes() {
    FftEngine fftw = Engines.get("fftw");
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            for (PlanCase each : PlanCase.random(SEED, 12, 2)) {
              each.check(comm, builder -> builder.engine(fftw));
            }
            PlanCase.cube(20, 20, 20).check(comm, builder -> builder.engine(fftw));
          });
    }
  }
}
