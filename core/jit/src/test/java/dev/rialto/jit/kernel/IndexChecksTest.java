package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.jit.lift.GuardedSites;
import dev.rialto.jit.lift.IndexGuards;
import dev.rialto.jit.lift.LiftOptions;
import dev.rialto.jit.lift.Lifted;
import dev.rialto.jit.lift.Lifter;
import dev.rialto.jit.lift.VectorSupport;
import dev.rialto.jit.lift.range.IndexProof;
import dev.rialto.jit.loops.Ir;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Tensor;
import dev.rialto.spi.code.Stmt;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Indices that arrays do not have: told with their line on every target, without a crash. */
@Tag("gpu")
class IndexChecksTest {
  private static final int BLOCK = 8;

  static Stream<String> targets() {
    return KernelTargets.all();
  }

  private static void refused(
      String target, String words, KernelBody body, long items, Object... arguments) {
    try (JavaKernel kernel = KernelTargets.on(target).withBlockSize(BLOCK).compile(body)) {
      assertThatThrownBy(() -> kernel.launch(items, arguments))
          .as("%s on %s", words, target)
          .rootCause()
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessageContaining("IndexChecksTest.java:")
          .hasMessageContaining(words);
    }
  }

  @ParameterizedTest
  @MethodSource("targets")
  void everyAccessIsChecked(String target) {
    double[] y = new double[20];
    int[] at = new int[20];
    at[13] = 2_000_000_000;
    refused(
        target,
        "writes index 100000000 of argument 1, which has indices 0 to 19",
        (KernelBody.Of1<F64>) (it, a) -> a.set(it.global() + 100_000_000L, 1),
        1,
        y);
    refused(
        target,
        "item 13 reads index 2000000000 of argument 1",
        (KernelBody.Of2<F64, I32>)
            (it, a, from) -> a.set(it.global(), a.get(from.get(it.global()))),
        20,
        y,
        at);
    refused(
        target,
        "reads index -1 of argument 1",
        (KernelBody.Of2<F64, F64>) (it, a, to) -> to.set(it.global(), a.get(it.global() - 1)),
        20,
        new double[20],
        y);
    refused(
        target,
        "changes index 20 of argument 1",
        (KernelBody.Of1<I32>) (it, a) -> it.atomicAdd(a, it.global() + 1, 1),
        20,
        new int[20]);
    refused(
        target,
        "writes index 8 of a shared array",
        (KernelBody.Of1<F64>)
            (it, a) -> {
              double[] all = it.sharedDoubles(8);
              all[it.local() + (it.global() == 15 ? 1 : 0)] = 1;
              it.barrier();
              a.set(it.global(), all[0]);
            },
        20,
        y);
    refused(
        target,
        "reads index 7 of an array of the item's own",
        (KernelBody.Of2<F64, I32>)
            (it, a, n) -> {
              double[] own = new double[5];
              a.set(it.global(), own[n.get(0)]);
            },
        20,
        y,
        new int[] {7});
    int[] table = {3, 1, 4, 1, 5};
    refused(
        target,
        "reads index 9 of an array from outside, which has indices 0 to 4",
        (KernelBody.Of2<F64, I32>) (it, a, n) -> a.set(it.global(), table[n.get(0)]),
        20,
        y,
        new int[] {9});
    assertThat(y).as("nothing was written elsewhere").hasSize(20);
  }

  @ParameterizedTest
  @MethodSource("targets")
  void axesOfTensorsAreCheckedOneByOne(String target) {
    ComputeClient client = KernelTargets.on(target).client();
    try (JavaKernel kernel =
            KernelTargets.on(target)
                .withBlock(2, 4)
                .kernel(
                    (Item it, F64 to, F64 x) ->
                        to.set(it.global(), x.get(it.global(0), it.global(1) + 1)));
        Tensor x =
            new Tensor(
                client.create(MemorySegment.ofArray(new double[12])),
                Shape.of(3, 4),
                Layout.contiguous(DType.F64, 12));
        Buffer to = client.create(MemorySegment.ofArray(new double[12]))) {
      kernel.launch(Shape.of(3, 3), to, x);
      assertThat(client.read(to).byteSize()).isEqualTo(96);
      kernel.launch(Shape.of(3, 4), to, x);
      assertThatThrownBy(() -> client.read(to))
          .rootCause()
          .hasMessageContaining("reads index 4 of axis 1 of argument 2");
    }
  }

  @ParameterizedTest
  @MethodSource("targets")
  void aKernelWorksAgainAfterALaunchThatFailed(String target) {
    ComputeClient client = KernelTargets.on(target).client();
    try (JavaKernel kernel =
            KernelTargets.on(target)
                .withBlockSize(BLOCK)
                .kernel((Item it, I32 y, I32 at) -> y.set(at.get(it.global()), 5));
        Buffer y = client.create(MemorySegment.ofArray(new int[9]));
        Buffer at = client.create(MemorySegment.ofArray(new int[] {1, 3, 8}));
        JavaKernel.Prepared launch = kernel.prepare(3, y, at)) {
      launch.run();
      assertThat(client.read(y).toArray(ValueLayout.JAVA_INT))
          .containsExactly(0, 5, 0, 5, 0, 0, 0, 0, 5);
      for (int round = 0; round < 3; round++) {
        client.write(at, MemorySegment.ofArray(new int[] {1, -7, 9}));
        launch.run();
        assertThatThrownBy(() -> client.read(y)).rootCause().hasMessageContaining("argument 1");
        client.write(y, MemorySegment.ofArray(new int[9]));
        client.write(at, MemorySegment.ofArray(new int[] {0, 0, 2}));
        launch.run();
        assertThat(client.read(y).toArray(ValueLayout.JAVA_INT))
            .containsExactly(5, 0, 5, 0, 0, 0, 0, 0, 0);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("targets")
  void countsThatABufferHoldsAreChecked(String target) {
    ComputeClient client = KernelTargets.on(target).client();
    try (JavaKernel kernel =
            KernelTargets.on(target)
                .withBlockSize(BLOCK)
                .kernel((Item it, I64 y) -> y.set(it.global(), it.global()));
        Buffer y = client.create(MemorySegment.ofArray(new long[10]));
        Buffer count = client.create(MemorySegment.ofArray(new long[] {10}))) {
      kernel.launch(count, 100, y);
      assertThat(client.read(y).get(ValueLayout.JAVA_LONG, 72)).isEqualTo(9);
      client.write(count, MemorySegment.ofArray(new long[] {11}));
      kernel.launch(count, 100, y);
      assertThatThrownBy(() -> client.read(y)).rootCause().hasMessageContaining("writes index 10");
    }
  }

  // --- Proofs -----------------------------------------------------------------------------------

  private static Set<Integer> open(KernelBody body, Shape block, Long... numbers) {
    Lifted lifted =
        Lifter.lift("kernel", body, new LiftOptions(block).withGuarded(GuardedSites.toProve("")));
    return IndexProof.open(lifted, numbers, false);
  }

  @Test
  void indicesThatFollowFromTheLaunchNeedNoGuard() {
    KernelBody.Of2<F32, F32> axpy = (it, y, x) -> y.set(it.global(), 2 * x.get(it.global()));
    assertThat(open(axpy, Shape.of(256), 1000L, 1000L, 1000L)).isEmpty();
    assertThat(open(axpy, Shape.of(256), 1001L, 1000L, 1001L)).hasSize(1);
    KernelBody.Of2<F64, F64> strided =
        (it, y, x) -> {
          double sum = 0;
          for (long i = it.global(); i < x.length(); i += it.globalSize()) {
            sum += x.get(i);
          }
          y.set(it.global(), sum);
        };
    assertThat(open(strided, Shape.of(64), 100L, 100L, 1_000_000L)).isEmpty();
    KernelBody.Of2<F64, F64> stencil =
        (it, y, x) -> {
          long n = it.globalSize(1);
          long i = it.global(0);
          long j = it.global(1);
          if (i > 0 && i < it.globalSize(0) - 1 && j > 0 && j < n - 1) {
            y.set(
                i * n + j, x.get((i - 1) * n + j) + x.get((i + 1) * n + j) + x.get(i * n + j + 1));
          }
        };
    assertThat(open(stencil, Shape.of(4, 32), 30L, 50L, 1500L, 1500L, 1L)).isEmpty();
    KernelBody.Of2<F64, F64> clamped =
        (it, y, x) -> {
          long at = Math.clamp(it.global() + 7, 0, x.length() - 1);
          y.set(it.global(), x.get(at) + x.get(Math.max(0, it.global() - 3)));
        };
    assertThat(open(clamped, Shape.of(16), 99L, 99L, 99L)).isEmpty();
    KernelBody.Of1<F64> shared =
        (it, y) -> {
          double[] all = it.sharedDoubles(64);
          for (int k = it.local(); k < 64; k += it.blockSize()) {
            all[k] = k;
          }
          it.barrier();
          double sum = 0;
          for (int k = 0; k < 64; k++) {
            sum += all[k];
          }
          y.set(it.global(), sum);
        };
    assertThat(open(shared, Shape.of(32), 70L, 70L)).isEmpty();
  }

  @Test
  void stepsOfLoopsAndOrderOfVariablesAreSeen() {
    KernelBody.Of2<F64, F64> tiles =
        (it, y, x) -> {
          double sum = 0;
          for (int tile = 0; tile < 96; tile += 32) {
            sum += x.get(tile + it.local());
          }
          y.set(it.global(), sum);
        };
    assertThat(open(tiles, Shape.of(32), 64L, 64L, 96L)).isEmpty();
    assertThat(open(tiles, Shape.of(32), 64L, 64L, 95L)).hasSize(1);
    KernelBody.Of1<F64> shifts =
        (it, y) -> {
          int local = it.local();
          for (int distance = 1; distance < 64; distance *= 2) {
            if (distance <= local) {
              y.set(local - distance, 1);
            }
          }
        };
    assertThat(open(shifts, Shape.of(64), 64L, 63L)).isEmpty();
    assertThat(open(shifts, Shape.of(64), 64L, 62L)).hasSize(1);
    KernelBody.Of1<F64> grouped =
        (it, y) -> {
          int size = 16;
          for (int k = it.local() / size * size; k < it.local(); k++) {
            y.set(k, 1);
          }
        };
    assertThat(open(grouped, Shape.of(64), 64L, 63L)).isEmpty();
  }

  @Test
  void indicesThatDependOnDataOrOverflowAreGuarded() {
    KernelBody.Of2<F64, I32> gather = (it, y, at) -> y.set(it.global(), y.get(at.get(it.global())));
    assertThat(open(gather, Shape.of(64), 10L, 10L, 10L)).hasSize(1);
    KernelBody.Of1<F64> wraps =
        (it, y) -> {
          int i = Integer.MAX_VALUE - 5 + (int) it.global();
          y.set(i < 0 ? 0 : i, 1);
        };
    assertThat(open(wraps, Shape.of(64), 10L, Integer.MAX_VALUE + 1L)).isEmpty();
    assertThat(open(wraps, Shape.of(64), 10L, 1_000L)).hasSize(1);
    KernelBody.Of1<F64> grows =
        (it, y) -> {
          for (long i = 1; i > 0; i *= 3) {
            y.set(i, 1);
          }
        };
    assertThat(open(grows, Shape.of(64), 10L, 1_000_000L)).hasSize(1);
  }

  @Test
  void launchesWithoutChecksAreAsTheyWere() {
    int[] counts = new int[64];
    int[] at = new int[64];
    Arrays.setAll(at, i -> 63 - i);
    try (JavaKernel kernel =
        KernelTargets.on("jvm")
            .withChecks(Checks.NONE)
            .kernel((Item it, I32 y, I32 x) -> y.set(x.get(it.global()), (int) it.global()))) {
      kernel.launch(64, counts, at);
    }
    assertThat(counts).isEqualTo(at);
  }

  private static final int ROWS = 40;

  /** A product of a sparse matrix whose rows begin and end where data says. */
  private static final KernelBody.Of5<F64, I32, I32, I32, F64> ROW_SUMS =
      (it, y, starts, ends, columns, x) -> {
        double sum = 0;
        long shift = columns.get(0);
        int end = ends.get(it.global());
        for (int k = starts.get(it.global()); k < end; k++) {
          sum += x.get(columns.get(k)) * x.get(shift + k);
        }
        y.set(it.global(), sum);
      };

  /** Runs it with rows of 0 to 9 elements, one of which is another one. */
  private static double[] rows(String target, int start, int end, int column) {
    int[] starts = new int[ROWS];
    int[] ends = new int[ROWS];
    for (int row = 0; row < ROWS; row++) {
      starts[row] = row == 0 ? 0 : ends[row - 1];
      ends[row] = starts[row] + row % 10;
    }
    int[] columns = new int[ends[ROWS - 1]];
    Arrays.setAll(columns, k -> k * 7 % columns.length);
    columns[columns.length / 2] = column;
    starts[ROWS / 2 - 1] += start;
    ends[ROWS / 2 - 1] += end;
    double[] x = new double[columns.length];
    Arrays.setAll(x, k -> k + 0.5);
    double[] y = new double[ROWS];
    try (JavaKernel kernel = KernelTargets.on(target).withBlockSize(BLOCK).compile(ROW_SUMS)) {
      kernel.launch(ROWS, y, starts, ends, columns, x);
    }
    return y;
  }

  @ParameterizedTest
  @MethodSource("targets")
  void rowsThatDataDescribesAreChecked(String target) {
    double[] expected = rows("interpreter", 0, 0, 3);
    assertThat(rows(target, 0, 0, 3)).isEqualTo(expected);
    String row = "item %d reads index ".formatted(ROWS / 2 - 1);
    assertThatThrownBy(() -> rows(target, -1000, 0, 3)).rootCause().hasMessageContaining(row + "-");
    assertThatThrownBy(() -> rows(target, 0, 1000, 3))
        .rootCause()
        .hasMessageContaining(row + (ROWS / 10 * 45));
    assertThatThrownBy(() -> rows(target, Integer.MIN_VALUE, Integer.MIN_VALUE, 3))
        .rootCause()
        .isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> rows(target, 0, 0, -1))
        .rootCause()
        .hasMessageContaining("reads index -1 of argument 5");
    assertThatThrownBy(() -> rows(target, 0, 0, 999))
        .rootCause()
        .hasMessageContaining("reads index 999 of argument 5");
  }

  @Test
  void aLoopLooksAtItsFirstAndLastIndexAlone() {
    Lifted guarded =
        Lifter.lift(
            "kernel",
            ROW_SUMS,
            new LiftOptions(Shape.of(BLOCK)).withGuarded(GuardedSites.toProve("")));
    List<Integer> guards = new ArrayList<>();
    Ir.walk(
        guarded.forHost(VectorSupport.NONE).body(),
        s -> {
          if (s instanceof Stmt.For loop && loop.body() instanceof Stmt.Block body) {
            int[] inside = new int[1];
            body.steps()
                .forEach(
                    step ->
                        inside[0] +=
                            step instanceof Stmt.If guard && IndexGuards.site(guard) >= 0 ? 1 : 0);
            guards.add(inside[0]);
          }
        });
    assertThat(guards).as("guards in each loop").contains(1);
  }
}
