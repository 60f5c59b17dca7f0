package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Devices;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Arguments of launches, and their refusals. */
@Tag("gpu")
class JavaKernelTest {
  private final ComputeClient client = Devices.open("cpu:0");
  private final JavaKernels kernels = JavaKernels.on(client).withTarget("jvm").withBlockSize(8);

  private Buffer ints(int... values) {
    return client.create(MemorySegment.ofArray(values));
  }

  private JavaKernel add() {
    return kernels.kernel(
        (Item it, I32 y, I32 x, Integer k) -> {
          long i = it.global();
          y.set(i, y.get(i) + k * x.get(i));
        });
  }

  @Test
  void aPreparedLaunchRunsAgain() {
    try (JavaKernel add = add();
        Buffer y = ints(1, 2, 3);
        Buffer x = ints(10, 20, 30);
        JavaKernel.Prepared launch = add.prepare(3, y, x, 2)) {
      launch.run();
      launch.run();
      assertThat(client.read(y).toArray(ValueLayout.JAVA_INT)).containsExactly(41, 82, 123);
    }
  }

  @Test
  void arraysOfJavaOfOtherElementsAreRefused() {
    try (JavaKernel add = add()) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> add.launch(3, new float[3], new int[3], 2))
          .withMessageContaining("argument 1 of the kernel is I32 elements, or int[]")
          .withMessageContaining("but float[] is given");
      assertThatIllegalArgumentException()
          .isThrownBy(() -> add.launch(3, new int[3], new long[3], 2));
    }
  }

  @Test
  void arraysOfJavaAreCopiedThereAndBack() {
    int[] y = {1, 2, 3};
    int[] x = {10, 20, 30};
    try (JavaKernel add = add();
        Buffer there = ints(5, 6, 7)) {
      add.launch(3, y, x, 2);
      assertThat(y).containsExactly(21, 42, 63);
      assertThat(x).containsExactly(10, 20, 30);
      add.launch(3, there, y, 1);
      assertThat(client.read(there).toArray(ValueLayout.JAVA_INT)).containsExactly(26, 48, 70);
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> add.launch(3, y, y, 1))
          .withMessageContaining("arrays 1 and 2 of the kernel overlap");
    }
  }

  @Test
  void whatIsReadMayBePassedTwice() {
    KernelBody.Of3<I32, I32, I32> body =
        (Item it, I32 z, I32 x, I32 y) -> z.set(it.global(), x.get(it.global()) * y.get(0));
    try (JavaKernel product = kernels.compile(body);
        Buffer z = ints(0, 0);
        Buffer x = ints(3, 4)) {
      product.launch(2, z, x, x);
      assertThat(client.read(z).toArray(ValueLayout.JAVA_INT)).containsExactly(9, 12);
    }
  }

  @Test
  void whatIsWrittenMayNot() {
    try (JavaKernel add = add();
        Buffer y = ints(1, 2, 3, 4)) {
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> add.launch(2, y, y.slice(4, 8), 1))
          .withMessageContaining("arrays 1 and 2 of the kernel overlap");
    }
  }

  @Test
  void argumentsAreWhatTheMethodTakes() {
    try (JavaKernel add = add();
        Buffer y = ints(1);
        Buffer x = ints(1)) {
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> add.launch(1, y, x))
          .withMessageContaining("takes 3 arguments, but 2");
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> add.launch(1, y, 5, 5))
          .withMessageContaining(
              "argument 2 of the kernel is a Buffer or Tensor of I32 elements, but 5");
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> add.launch(1, y, x, 1.5))
          .withMessageContaining("argument 3 of the kernel is a number of type INT, but 1.5");
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> add.launch(-1, y, x, 1))
          .withMessageContaining("-1 items");
    }
  }

  @Test
  void settingsAreChecked() {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> kernels.withBlockSize(0))
        .withMessageContaining("blocks of 0 items; give 1 to 1024");
    KernelBody.Of1<I32> body = (Item it, I32 x) -> x.set(0, 1);
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> kernels.withTarget("fortran").compile(body))
        .withMessageContaining("'fortran'")
        .withMessageContaining("jvm");
  }

  @Test
  void aPlainRunThrowsWhereAnIndexIsOutOfBounds() {
    KernelBody.Of1<I32> body =
        (Item it, I32 x) -> {
          it.barrier();
          x.set(it.global() + 1, 1);
        };
    assertThatExceptionOfType(IndexOutOfBoundsException.class)
        .isThrownBy(() -> PlainRun.of(body, 4, 4, I32.of(new int[4])));
  }

  @Test
  void whatIsCompiledAndLoadedIsLogged() {
    Logger logger = Logger.getLogger("dev.rialto.jit");
    List<String> lines = new ArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord event) {
            lines.add(event.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Level before = logger.getLevel();
    logger.setLevel(Level.FINE);
    logger.addHandler(handler);
    int number = (int) System.nanoTime(); // no earlier run has left this code in the cache
    KernelBody.Of1<I32> body = (Item it, I32 x) -> x.set(0, number);
    try (JavaKernel kernel = kernels.compile(body)) {
      kernel.launch(1, new int[1]);
    } finally {
      logger.removeHandler(handler);
      logger.setLevel(before);
    }
    String name = JavaKernelTest.class.getName() + ".lambda$whatIsCompiledAndLoadedIsLogged";
    assertThat(lines)
        .anyMatch(line -> line.startsWith("compiled " + name) && line.contains(" for jvm in "))
        .anyMatch(line -> line.startsWith("loaded " + name) && line.endsWith(" for jvm"));
  }
}
