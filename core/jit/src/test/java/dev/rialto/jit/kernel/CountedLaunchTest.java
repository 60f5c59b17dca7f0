package dev.rialto.jit.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Devices;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Launches whose number of items a buffer holds. */
@Tag("gpu")
class CountedLaunchTest {
  private static final int MOST = 1000;

  static Stream<String> targets() {
    return KernelTargets.all();
  }

  /** Vectors of items, or an item each. */
  private static final KernelBody.Of1<I64> ALONE =
      (Item it, I64 y) -> y.set(it.global(), it.globalSize() + 3 * it.global());

  /** Blocks whose items wait for one another. */
  private static final KernelBody.Of1<I64> TOGETHER =
      (Item it, I64 y) -> {
        long[] all = it.sharedLongs(16);
        all[it.local()] = it.global();
        it.barrier();
        y.set(it.global(), all[it.blockSize() - 1 - it.local()] + it.blocks());
      };

  private static long[] launch(JavaKernel kernel, ComputeClient client, long count, long most) {
    try (Buffer y = client.create(MemorySegment.ofArray(new long[MOST]));
        Buffer counted = client.create(MemorySegment.ofArray(new long[] {count}))) {
      kernel.launch(counted, most, y);
      return client.read(y).toArray(ValueLayout.JAVA_LONG);
    }
  }

  @ParameterizedTest
  @MethodSource("targets")
  void asManyItemsRunAsTheBufferSays(String name) {
    JavaKernels kernels = KernelTargets.on(name).withBlockSize(16);
    for (KernelBody body : new KernelBody[] {ALONE, TOGETHER}) {
      try (JavaKernel kernel = kernels.compile(body)) {
        for (long[] each : new long[][] {{37, MOST}, {0, MOST}, {-5, MOST}, {5000, 999}}) {
          long[] expected = new long[MOST];
          PlainRun.of(body, 16, Math.clamp(each[0], 0, each[1]), I64.of(expected));
          assertThat(launch(kernel, kernels.client(), each[0], each[1])).isEqualTo(expected);
        }
      }
    }
  }

  @Test
  void aCheckedLaunchReadsTheNumberToo() {
    JavaKernels kernels = KernelTargets.on("jvm").withBlockSize(16).withChecks(Checks.RACES);
    long[] expected = new long[MOST];
    PlainRun.of(TOGETHER, 16, 37, I64.of(expected));
    try (JavaKernel kernel = kernels.compile(TOGETHER)) {
      assertThat(launch(kernel, kernels.client(), 37, MOST)).isEqualTo(expected);
    }
  }

  /** The number is read when the launch begins, not when it is added. */
  @ParameterizedTest
  @MethodSource("targets")
  void aKernelBeforeMayWriteTheNumber(String name) {
    JavaKernels kernels = KernelTargets.on(name);
    ComputeClient client = kernels.client();
    KernelBody.Of2<I64, I64> choose =
        (Item it, I64 count, I64 marks) -> {
          if (marks.get(it.global()) > 0) {
            it.atomicAdd(count, 0, 1);
          }
        };
    long[] marks = new long[MOST];
    for (int i = 0; i < 123; i++) {
      marks[7 * i] = 1;
    }
    try (JavaKernel first = kernels.compile(choose);
        JavaKernel second = kernels.compile(ALONE);
        Buffer marked = client.create(MemorySegment.ofArray(marks));
        Buffer count = client.create(MemorySegment.ofArray(new long[1]));
        Buffer y = client.create(MemorySegment.ofArray(new long[MOST]))) {
      first.launch(MOST, count, marked);
      second.launch(count, MOST, y);
      long[] expected = new long[MOST];
      PlainRun.of(ALONE, 256, 123, I64.of(expected));
      assertThat(client.read(y).toArray(ValueLayout.JAVA_LONG)).isEqualTo(expected);
    }
  }

  @Test
  void whatCannotBeCountedIsRefused() {
    ComputeClient client = Devices.open("cpu:0");
    JavaKernels kernels = JavaKernels.on(client).withTarget("jvm");
    try (JavaKernel plane = kernels.withBlock(4, 4).compile(ALONE);
        JavaKernel line = kernels.compile(ALONE);
        Buffer y = client.create(MemorySegment.ofArray(new long[2]))) {
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> plane.launch(y, 16, y))
          .withMessageContaining("blocks of")
          .withMessageContaining("launch it with a number");
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> line.launch(y.slice(0, 4), 1, y))
          .withMessageContaining("one I64");
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> line.launch(y.slice(0, 8), 1, y))
          .withMessageContaining("overlap");
    }
  }

  @Test
  void aRefusedLaunchLeavesNoBufferBehind() {
    ComputeClient client = Devices.open("cpu:0");
    try (JavaKernel kernel = JavaKernels.on(client).withTarget("jvm").compile(ALONE);
        Buffer y = client.create(MemorySegment.ofArray(new long[3]))) {
      kernel.launch(2, y);
      client.syncDevice();
      long before = client.memoryUsage().used();
      assertThatExceptionOfType(IllegalArgumentException.class)
          .isThrownBy(() -> kernel.launch(2, y.slice(4, 16)))
          .withMessageContaining("begins within an element");
      client.syncDevice();
      assertThat(client.memoryUsage().used()).isEqualTo(before);
    }
  }
}
