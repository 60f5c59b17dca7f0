package dev.rialto.cuda;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.exec.Timeline.Observer;
import dev.rialto.spi.kernel.Executable;
import dev.rialto.spi.kernel.LoweredKernel;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.kernel.LoweredKernel.Parameter;
import dev.rialto.spi.memory.Allocation;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Requirements on streams beyond the kit: work on the GPU, its times and its order. */
@Tag("gpu")
class CudaStreamTest {
  private static final LoweredKernel ADD =
      new LoweredKernel.Source(
          "add",
          List.of(new Parameter("x", DType.I64, Access.READ_WRITE)),
          "cuda",
          """
          extern "C" __global__ void add(long long *x, long long begin, long long end) {
            long long i = begin + (long long)blockIdx.x * blockDim.x + threadIdx.x;
            if (i < end) x[i] = 3 * x[i] + i;
          }
          """);

  @Test
  void launchesOnTwoStreamsAlternateAsTheyWaitForOneAnother() {
    Device device = Gpu.device();
    try (Executable add = device.compiler().compile(ADD);
        Timeline one = device.openStream(0);
        Timeline two = device.openStream(1);
        Allocation memory = device.memory().allocate(8 * 1000);
        Allocation result = device.staging().allocate(8 * 1000)) {
      List<MemorySegment> buffers = List.of(memory.segment());
      long[] expected = new long[1000];
      for (int round = 0; round < 30; round++) {
        Timeline now = round % 2 == 0 ? one : two;
        Timeline before = round % 2 == 0 ? two : one;
        now.waitFor(before, before.position());
        add.launch(1000, buffers, now);
        for (int i = 0; i < expected.length; i++) {
          expected[i] = 3 * expected[i] + i;
        }
      }
      one.waitFor(two, two.position());
      device.transfer().copyAsync(memory.segment(), result.segment(), 8 * 1000, one);
      one.await();
      assertThat(result.segment().toArray(ValueLayout.JAVA_LONG)).isEqualTo(expected);
    }
  }

  @Test
  void timesComeFromTheGpuInOrder() {
    Device device = Gpu.device();
    List<String> heard = Collections.synchronizedList(new ArrayList<>());
    List<Long> times = Collections.synchronizedList(new ArrayList<>());
    try (Executable add = device.compiler().compile(ADD);
        Timeline stream = device.openStream(0);
        Allocation memory = device.memory().allocate(8 << 20)) {
      stream.observe(
          new Observer() {
            @Override
            public boolean isTiming() {
              return true;
            }

            @Override
            public void ended(
                @Nullable Object label,
                long position,
                long added,
                long began,
                long ended,
                @Nullable Throwable failure) {
              heard.add(label + "@" + position);
              times.addAll(List.of(added, began, ended));
            }
          });
      List<MemorySegment> buffers = List.of(memory.segment());
      add.launch(1 << 20, buffers, stream.labelled("first"));
      stream.labelled("host").run(() -> {});
      add.launch(1 << 20, buffers, stream.labelled("last"));
      stream.await();
      assertThat(heard).containsExactly("first@1", "host@2", "last@3");
      for (int i = 0; i < times.size(); i += 3) {
        assertThat(times.get(i + 1)).isGreaterThanOrEqualTo(times.get(i));
        assertThat(times.get(i + 2)).isGreaterThanOrEqualTo(times.get(i + 1));
      }
    }
  }

  @Test
  void aWaitHasAnEndAndThatForHostCodeOfTheSameStreamIsRefused() throws InterruptedException {
    CountDownLatch gate = new CountDownLatch(1);
    AtomicReference<@Nullable Throwable> refused = new AtomicReference<>();
    try (Timeline stream = Gpu.device().openStream(0)) {
      stream
          .labelled("gate")
          .run(
              () -> {
                try {
                  stream.awaitReached(stream.position(), Long.MAX_VALUE);
                } catch (IllegalStateException | InterruptedException e) {
                  refused.set(e);
                }
                try {
                  gate.await();
                } catch (InterruptedException e) {
                  throw new IllegalStateException(e);
                }
              });
      assertThat(stream.awaitReached(stream.position(), 1_000_000)).isFalse();
      assertThat(stream.pending()).isEqualTo("gate");
      gate.countDown();
      assertThat(stream.awaitReached(stream.position(), Long.MAX_VALUE)).isTrue();
      assertThat(refused.get()).hasMessageContaining("waits for its own stream");
    }
  }
}
