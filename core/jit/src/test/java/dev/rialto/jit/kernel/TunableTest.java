package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.jit.kernel.Tunable.Candidate;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.ComputeStream;
import dev.rialto.runtime.Devices;
import dev.rialto.runtime.Kernel;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.CompilationException;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.kernel.LoweredKernel.JavaBody;
import dev.rialto.spi.kernel.LoweredKernel.Parameter;
import dev.rialto.system.files.TuningCache;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Work with several kernels: what is chosen, what is dropped, and what is remembered. */
@Tag("gpu")
class TunableTest {
  private static final String TARGETS = "dev.rialto.jit.kernel.KernelTargets#all";
  private static final Shape SIZE = Shape.of(1000);
  private static final Tile TILE = new Tile(32, 16, 16);
  private static final int ELEMENTS = 32 * 16;

  /** Adds twice x, an item for each element. */
  private static Candidate each(JavaKernels on) {
    KernelBody.Of2<F64, F64> body =
        (Item it, F64 y, F64 x) -> y.set(it.global(), y.get(it.global()) + 2 * x.get(it.global()));
    return new Candidate("each", on, body, size -> size);
  }

  /** The same by few items. */
  private static Candidate few(JavaKernels on) {
    KernelBody.Of2<F64, F64> body =
        (Item it, F64 y, F64 x) -> {
          for (long i = it.global(); i < x.length(); i += it.globalSize()) {
            y.set(i, y.get(i) + 2 * x.get(i));
          }
        };
    return new Candidate("few", on.withBlockSize(64), body, _ -> Shape.of(64));
  }

  private static Candidate wrong(JavaKernels on) {
    KernelBody.Of2<F64, F64> body =
        (Item it, F64 y, F64 x) -> y.set(it.global(), y.get(it.global()) + 3 * x.get(it.global()));
    return new Candidate("wrong", on, body, size -> size);
  }

  private static double[] numbers(int count, double factor) {
    double[] numbers = new double[count];
    for (int i = 0; i < count; i++) {
      numbers[i] = factor * (i + 1);
    }
    return numbers;
  }

  /** The warnings of tuners meanwhile. */
  private static List<String> warnings(Runnable work) {
    List<String> said = new ArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public synchronized void publish(LogRecord each) {
            said.add(new SimpleFormatter().formatMessage(each));
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger("dev.rialto.tune");
    logger.addHandler(handler);
    try {
      work.run();
    } finally {
      logger.removeHandler(handler);
    }
    return said;
  }

  @ParameterizedTest
  @MethodSource(TARGETS)
  void theFirstLaunchTimesAllAndChangesArraysOnce(String target, @TempDir Path folder) {
    JavaKernels on = KernelTargets.on(target);
    try (Tunable tunable =
        Tunable.of("test", each(on), few(on)).withCache(TuningCache.in(folder))) {
      double[] y = new double[1000];
      double[] x = numbers(1000, 1);
      assertThat(tunable.answer(SIZE)).isEmpty();
      tunable.launch(SIZE, y, x);
      assertThat(y).containsExactly(numbers(1000, 2));
      Tunable.Answer answer = tunable.answer(SIZE).orElseThrow();
      assertThat(answer.millis()).containsOnlyKeys("each", "few");
      assertThat(answer.candidate()).isIn("each", "few");
      tunable.launch(SIZE, y, x);
      assertThat(y).containsExactly(numbers(1000, 4));
    }
  }

  @ParameterizedTest
  @MethodSource(TARGETS)
  void candidatesThatAreWrongOrRefusedAreDroppedAndItIsSaid(String target, @TempDir Path folder) {
    JavaKernels on = KernelTargets.on(target);
    KernelBody.Of2<F64, F64> thrower =
        (Item it, F64 y, F64 x) -> {
          throw new IllegalStateException();
        };
    Candidate refused = new Candidate("refused", on, thrower, size -> size);
    try (Tunable tunable =
        Tunable.of("test", each(on), wrong(on), refused).withCache(TuningCache.in(folder))) {
      double[] y = new double[1000];
      List<String> said = warnings(() -> tunable.launch(SIZE, y, numbers(1000, 1)));
      assertThat(y).containsExactly(numbers(1000, 2));
      assertThat(tunable.answer(SIZE).orElseThrow().millis()).containsOnlyKeys("each");
      assertThat(said)
          .hasSize(2)
          .anyMatch(
              s -> s.contains("'wrong' for test is dropped") && s.contains("3.0 in place of 2.0"))
          .anyMatch(s -> s.contains("'refused' for test is dropped") && s.contains("throws"));
      assertThat(warnings(() -> tunable.launch(Shape.of(10), new double[10], new double[10])))
          .isEmpty();
    }
  }

  @Test
  void answersAreRememberedByCodeAndSize(@TempDir Path folder) throws IOException {
    JavaKernels on = KernelTargets.on("jvm");
    TuningCache cache = TuningCache.in(folder);
    String first;
    try (Tunable tunable = Tunable.of("test", each(on), few(on)).withCache(cache)) {
      tunable.launch(SIZE, new double[1000], new double[1000]);
      first = tunable.answer(SIZE).orElseThrow().candidate();
      assertThat(tunable.answer(Shape.of(1024))).isPresent();
      assertThat(tunable.answer(Shape.of(1025))).isEmpty();
    }
    assertThat(Files.readString(folder.resolve("tuning.properties")))
        .contains("kernel/test/cpu")
        .contains("=" + first);
    try (Tunable again = Tunable.of("test", each(on), few(on)).withCache(cache);
        Tunable other = Tunable.of("test", each(on), few(on), wrong(on)).withCache(cache)) {
      again.launch(SIZE, new double[1000], new double[1000]);
      assertThat(again.answer(SIZE)).hasValue(new Tunable.Answer(first, Map.of()));
      other.launch(SIZE, new double[1000], new double[1000]);
      assertThat(other.answer(SIZE).orElseThrow().millis()).isNotEmpty();
    }
  }

  @Test
  void roundingIsNoErrorWithinTheTolerance(@TempDir Path folder) {
    JavaKernels on = KernelTargets.on("jvm");
    KernelBody.Of2<F64, F64> body =
        (Item it, F64 y, F64 x) ->
            y.set(it.global(), (y.get(it.global()) / 3 + 2 * x.get(it.global()) / 3) * 3);
    Candidate rounds = new Candidate("rounds", on, body, size -> size);
    TuningCache cache = TuningCache.in(folder);
    try (Tunable exact = Tunable.of("test", each(on), rounds).withCache(cache);
        Tunable near = Tunable.of("near", each(on), rounds).withTolerance(1e-12).withCache(cache)) {
      double[] x = numbers(1000, 0.1);
      assertThat(warnings(() -> exact.launch(SIZE, numbers(1000, 0.7), x))).hasSize(1);
      assertThat(warnings(() -> near.launch(SIZE, numbers(1000, 0.7), x))).isEmpty();
      assertThat(near.answer(SIZE).orElseThrow().millis()).containsOnlyKeys("each", "rounds");
    }
  }

  @Test
  void oneThreadMeasuresAndOthersDoNotWait(@TempDir Path folder) throws Exception {
    JavaKernels on = KernelTargets.on("jvm");
    CountDownLatch measures = new CountDownLatch(1);
    CountDownLatch others = new CountDownLatch(1);
    Set<Thread> measuring = ConcurrentHashMap.newKeySet();
    Candidate few = few(on);
    Candidate held =
        new Candidate(
            "held",
            few.settings(),
            few.body(),
            size -> {
              if (!measuring.isEmpty()) {
                return few.items().apply(size);
              }
              measuring.add(Thread.currentThread());
              measures.countDown();
              await(others);
              return few.items().apply(size);
            });
    try (Tunable tunable = Tunable.of("test", each(on), held).withCache(TuningCache.in(folder));
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      double[] expected = numbers(1000, 2);
      Future<double[]> first = threads.submit(() -> doubled(tunable));
      await(measures);
      List<Future<double[]>> more = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        more.add(threads.submit(() -> doubled(tunable)));
      }
      for (Future<double[]> each : more) {
        assertThat(each.get()).containsExactly(expected);
      }
      assertThat(tunable.answer(SIZE)).isEmpty();
      others.countDown();
      assertThat(first.get()).containsExactly(expected);
      assertThat(tunable.answer(SIZE)).isPresent();
      assertThat(measuring).hasSize(1);
    }
  }

  private static double[] doubled(Tunable tunable) {
    double[] y = new double[1000];
    tunable.launch(SIZE, y, numbers(1000, 1));
    return y;
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(e);
    }
  }

  @Test
  void theWorkOfAnotherStreamIsNotAwaited(@TempDir Path folder) {
    ComputeClient client = Devices.open("cpu:0");
    JavaKernels on = JavaKernels.on(client).withTarget("jvm");
    CountDownLatch end = new CountDownLatch(1);
    List<Parameter> parameters = List.of(new Parameter("x", DType.I64, Access.READ_WRITE));
    JavaBody waits =
        new JavaBody(
            "waits",
            parameters,
            (_, _, x) -> {
              await(end);
              x.getFirst().set(ValueLayout.JAVA_LONG, 0, 1);
            });
    try (Tunable tunable = Tunable.of("test", each(on), few(on)).withCache(TuningCache.in(folder));
        ComputeStream stream = client.openStream();
        Kernel kernel = client.compile(waits);
        Buffer x = client.create(MemorySegment.ofArray(new long[1]))) {
      client.withStream(stream).launch(kernel, 1, x);
      assertThat(doubled(tunable)).containsExactly(numbers(1000, 2));
      assertThat(tunable.answer(SIZE).orElseThrow().millis()).hasSize(2);
      assertThat(end.getCount()).isEqualTo(1);
      end.countDown();
      assertThat(client.read(x).get(ValueLayout.JAVA_LONG, 0)).isEqualTo(1);
    } finally {
      end.countDown();
    }
  }

  /** Sets elements to 0, by tiles or one by one. */
  private static Tunable clearing(JavaKernels on, Path folder) {
    KernelBody.Of1<F32> single = (Item it, F32 c) -> c.set(it.global(), 0);
    KernelBody.Of1<F32> tiles =
        (Item it, F32 c) ->
            TILE.store(it, TILE.zeros(it), c, it.global() / Item.SUBGROUP * ELEMENTS, 16);
    return Tunable.of(
            "clearing",
            new Candidate("single", on, single, size -> size),
            new Candidate(
                "tiles",
                on.withBlockSize(Item.SUBGROUP),
                tiles,
                size -> Shape.of(Math.ceilDiv(size.extent(0) * Item.SUBGROUP, ELEMENTS))))
        .withCache(TuningCache.in(folder));
  }

  @Test
  void aSizeThatTheFastestDoesNotDivideIsDoneByTheFirst(@TempDir Path folder) throws IOException {
    JavaKernels on = KernelTargets.on("jvm");
    try (Tunable tunable = clearing(on, folder)) {
      // Not divided by whole tiles, and no reason to drop them.
      float[] odd = {1, 1, 1};
      assertThat(warnings(() -> tunable.launch(Shape.of(3), odd))).isEmpty();
      assertThat(odd).containsOnly(0);
      tunable.launch(Shape.of(4 * ELEMENTS), new float[4 * ELEMENTS]);
      assertThat(tunable.answer(Shape.of(4 * ELEMENTS)).orElseThrow().millis())
          .containsOnlyKeys("single", "tiles");
    }
    Path file = folder.resolve("tuning.properties");
    Files.writeString(file, Files.readString(file).replace("=single", "=tiles"));
    try (Tunable tunable = clearing(on, folder)) {
      float[] most = new float[4 * ELEMENTS - 48];
      Arrays.fill(most, 1);
      tunable.launch(Shape.of(most.length), most);
      assertThat(tunable.answer(Shape.of(most.length)).orElseThrow().candidate())
          .isEqualTo("tiles");
      assertThat(most).containsOnly(0);
    }
  }

  @Test
  void aFirstCandidateThatDoesNotCompileIsToldAndDropsNoOther(@TempDir Path folder) {
    JavaKernels on = KernelTargets.on("jvm");
    KernelBody.Of2<F64, F64> thrower =
        (Item it, F64 y, F64 x) -> {
          throw new IllegalStateException();
        };
    Candidate refused = new Candidate("refused", on, thrower, size -> size);
    try (Tunable tunable =
        Tunable.of("test", refused, each(on)).withCache(TuningCache.in(folder))) {
      List<String> said =
          warnings(
              () ->
                  assertThatThrownBy(() -> tunable.launch(SIZE, new double[1000], new double[1000]))
                      .isInstanceOf(CompilationException.class));
      assertThat(said).hasSize(1).allMatch(s -> s.contains("is not tuned"));
    }
  }

  @Test
  void anErrorLeavesTheSizeToTheNextLaunch(@TempDir Path folder) {
    JavaKernels on = KernelTargets.on("jvm");
    AtomicBoolean broken = new AtomicBoolean(true);
    Candidate each = each(on);
    Candidate second =
        new Candidate(
            "second",
            on,
            each.body(),
            size -> {
              if (broken.getAndSet(false)) {
                throw new StackOverflowError("once");
              }
              return size;
            });
    try (Tunable tunable = Tunable.of("test", each, second).withCache(TuningCache.in(folder))) {
      assertThatThrownBy(() -> tunable.launch(SIZE, new double[1000], new double[1000]))
          .isInstanceOf(StackOverflowError.class);
      tunable.launch(SIZE, new double[1000], new double[1000]);
      assertThat(tunable.answer(SIZE)).isPresent();
    }
  }

  @Test
  void whatIsClosedIsNotLaunched(@TempDir Path folder) {
    JavaKernels on = KernelTargets.on("jvm");
    Tunable tunable = Tunable.of("test", each(on), few(on)).withCache(TuningCache.in(folder));
    tunable.close();
    assertThatThrownBy(() -> tunable.launch(SIZE, new double[1000], new double[1000]))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("'test', which is closed");
    JavaKernel kernel = on.compile(each(on).body());
    kernel.close();
    kernel.close();
    assertThatThrownBy(() -> kernel.launch(1, new double[1], new double[1]))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void workThatCannotBeTunedIsRefused() {
    JavaKernels on = KernelTargets.on("jvm");
    assertThatThrownBy(() -> Tunable.of("nothing"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no candidates for 'nothing'");
    assertThatThrownBy(() -> Tunable.of("twins", each(on), each(on)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("one name");
  }
}
