package dev.rialto.cpu.fft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.sun.management.ThreadMXBean;
import dev.rialto.spi.Backends;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import dev.rialto.spi.fft.FftSpec.Kind;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.management.ManagementFactory;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The engine beyond the conformance kit: every vector width and plain numbers, long lines, and what
 * an execution allocates.
 */
class JavaFftEngineTest {
  private static MemorySegment random(Arena arena, long doubles, long seed) {
    Random random = new Random(seed);
    MemorySegment memory = arena.allocate(8 * Math.max(doubles, 1), 64);
    for (long i = 0; i < doubles; i++) {
      memory.setAtIndex(ValueLayout.JAVA_DOUBLE, i, random.nextDouble(-1, 1));
    }
    return memory;
  }

  private static void execute(FftPlan plan, MemorySegment in, MemorySegment out) {
    try (Arena arena = Arena.ofConfined()) {
      plan.execute(in, out, arena.allocate(plan.workspaceBytes(), 64));
    }
  }

  /** One result of a line as its definition reads: exact turns, compensated sums. */
  private static double[] result(MemorySegment in, long first, int n, long k) {
    double[] re = new double[2];
    double[] im = new double[2];
    for (int j = 0; j < n; j++) {
      double cos = RationalAngle.cos(j * k, n);
      double sin = -RationalAngle.sin(j * k, n);
      double x = in.getAtIndex(ValueLayout.JAVA_DOUBLE, 2 * (first + j));
      double y = in.getAtIndex(ValueLayout.JAVA_DOUBLE, 2 * (first + j) + 1);
      add(re, x, cos);
      add(re, -y, sin);
      add(im, x, sin);
      add(im, y, cos);
    }
    return new double[] {re[0] + re[1], im[0] + im[1]};
  }

  /** Adds a product to a sum and what rounding has taken from it. */
  private static void add(double[] sum, double a, double b) {
    double product = a * b;
    double total = sum[0] + product;
    double part = total - sum[0];
    sum[1] += (sum[0] - (total - part)) + (product - part) + Math.fma(a, b, -product);
    sum[0] = total;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 64, 128, 256})
  void everyWidthGivesTheSameTransform(int bits) {
    // Groups that fill the lanes and one that does not, for each width.
    for (int n : new int[] {1, 2, 8, 15, 22, 67, 96}) {
      FftSpec spec = FftSpec.of(Kind.FORWARD, DType.F64, n, 19);
      try (FftPlan plan = new JavaFftEngine(bits).plan(spec);
          Arena arena = Arena.ofConfined()) {
        MemorySegment in = random(arena, 2L * n * 19, n);
        MemorySegment out = arena.allocate(spec.outBytes(), 64);
        execute(plan, in, out);
        for (int line : new int[] {0, 7, 18}) {
          for (int k = 0; k < n; k++) {
            double[] expected = result(in, (long) line * n, n, k);
            long at = 2L * ((long) line * n + k);
            assertThat(out.getAtIndex(ValueLayout.JAVA_DOUBLE, at))
                .as("%d bits, %d points, line %d, result %d", bits, n, line, k)
                .isCloseTo(expected[0], within());
            assertThat(out.getAtIndex(ValueLayout.JAVA_DOUBLE, at + 1))
                .isCloseTo(expected[1], within());
          }
        }
      }
    }
  }

  private static org.assertj.core.data.Offset<Double> within() {
    return org.assertj.core.api.Assertions.within(2e-14);
  }

  @ParameterizedTest
  @ValueSource(ints = {64, 1000, 1024, 4096, 5005, 7919, 16384})
  void errorsGrowWithTheLogarithm(int n) {
    FftSpec spec = FftSpec.of(Kind.FORWARD, DType.F64, n, 1);
    try (FftPlan plan = new JavaFftEngine().plan(spec);
        Arena arena = Arena.ofConfined()) {
      MemorySegment in = random(arena, 2L * n, n);
      MemorySegment out = arena.allocate(spec.outBytes(), 64);
      execute(plan, in, out);
      double errors = 0;
      double size = 0;
      for (int k = 0; k < n; k += Math.max(1, n / 60)) {
        double[] expected = result(in, 0, n, k);
        double re = out.getAtIndex(ValueLayout.JAVA_DOUBLE, 2L * k) - expected[0];
        double im = out.getAtIndex(ValueLayout.JAVA_DOUBLE, 2L * k + 1) - expected[1];
        errors += re * re + im * im;
        size += expected[0] * expected[0] + expected[1] * expected[1];
      }
      assertThat(Math.sqrt(errors / size)).isLessThan(1e-15 * Math.log(n) / Math.log(2));
      double before = squares(in, 2L * n);
      double after = squares(out, 2L * n) / n;
      assertThat(Math.abs(after / before - 1)).isLessThan(1e-14 * Math.log(n));
    }
  }

  private static double squares(MemorySegment numbers, long count) {
    double sum = 0;
    for (long i = 0; i < count; i++) {
      double value = numbers.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
      sum += value * value;
    }
    return sum;
  }

  @Test
  void memoryThatCannotBeWrittenIsRefused() {
    FftSpec spec = FftSpec.of(Kind.FORWARD, DType.F64, 8, 4);
    try (FftPlan plan = new JavaFftEngine(0).plan(spec);
        Arena arena = Arena.ofConfined()) {
      MemorySegment in = random(arena, 2 * 8 * 4, 1);
      MemorySegment out = arena.allocate(spec.outBytes(), 64);
      assertThatIllegalArgumentException()
          .isThrownBy(() -> execute(plan, in, out.asReadOnly()))
          .withMessageContaining("the output is read-only");
      execute(plan, in.asReadOnly(), out);
    }
  }

  @Test
  void executingAllocatesNothing() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    FftSpec spec = FftSpec.of(Kind.DCT2, DType.F64, 48, 40);
    // Plain numbers: interpreted code allocates a vector for each operation, compiled code none.
    try (Executor executor = Backends.get("cpu").openExecutor(2);
        FftPlan plan = new JavaFftEngine(0).plan(spec, executor);
        Arena arena = Arena.ofShared()) {
      MemorySegment in = random(arena, 48 * 40, 1);
      MemorySegment out = arena.allocate(spec.outBytes(), 64);
      MemorySegment work = arena.allocate(plan.workspaceBytes(), 64);
      for (int i = 0; i < 20_000; i++) {
        plan.execute(in, out, work);
      }
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 1000; i++) {
        plan.execute(in, out, work);
      }
      long allocated = threads.getCurrentThreadAllocatedBytes() - before;
      assertThat(allocated / 1000).isLessThan(64);
    }
  }
}
