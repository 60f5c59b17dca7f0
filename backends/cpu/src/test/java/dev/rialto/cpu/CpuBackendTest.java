package dev.rialto.cpu;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.BackendProvider;
import dev.rialto.spi.Backends;
import dev.rialto.spi.Capability;
import dev.rialto.spi.Probe;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.kernel.Executable;
import dev.rialto.spi.kernel.LoweredKernel;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.kernel.LoweredKernel.Parameter;
import dev.rialto.spi.memory.Allocation;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.junit.jupiter.api.Test;

class CpuBackendTest {
  private final BackendProvider cpu = Backends.get("cpu");
  private final Device device = cpu.devices().getFirst();

  private static final LoweredKernel TRIPLE =
      new LoweredKernel.JavaBody(
          "triple",
          List.of(
              new Parameter("x", DType.F64, Access.READ),
              new Parameter("y", DType.F64, Access.WRITE)),
          (begin, end, buffers) -> {
            for (long i = begin; i < end; i++) {
              double x = buffers.get(0).getAtIndex(JAVA_DOUBLE, i);
              buffers.get(1).setAtIndex(JAVA_DOUBLE, i, 3 * x);
            }
          });

  @Test
  void itIsFoundAndAvailableEverywhere() {
    assertThat(cpu).isInstanceOf(CpuBackend.class);
    assertThat(cpu.probe()).isEqualTo(cpu.probe());
    assertThat(((Probe.Available) cpu.probe()).devices().getFirst())
        .matches("cpu:0 \\(\\d+ cores?, Vector API, \\d+ bits\\)");
    assertThat(cpu.capabilities())
        .containsExactlyInAnyOrder(
            Capability.MEMORY,
            Capability.TRANSFER,
            Capability.EXECUTOR,
            Capability.STREAMS,
            Capability.KERNELS,
            Capability.FFT);
    assertThatThrownBy(() -> cpu.openWorld(1)).isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void allInstancesShareOneMemorySpace() {
    assertThat(new CpuBackend().devices()).isEqualTo(cpu.devices()).hasSize(1);
    assertThat(device.staging()).isSameAs(device.memory());
  }

  @Test
  void aKernelRunsOverAllItemsInOrderWithTheStream() {
    long items = 10_000;
    try (Allocation x = device.memory().allocate(items * 8);
        Allocation y = device.memory().allocate(items * 8);
        Stream stream = device.openStream(0);
        Executable kernel = device.compiler().compile(TRIPLE)) {
      stream.run(
          () -> {
            for (long i = 0; i < items; i++) {
              x.segment().setAtIndex(JAVA_DOUBLE, i, (double) i);
            }
          });
      kernel.launch(items, List.of(x.segment().asReadOnly(), y.segment()), stream);
      kernel.launch(0, List.of(x.segment(), y.segment()), stream);
      stream.await();
      for (long i = 0; i < items; i++) {
        assertThat(y.segment().getAtIndex(JAVA_DOUBLE, i)).isEqualTo(3.0 * i);
      }
      assertThat(kernel.kernel()).isSameAs(TRIPLE);
    }
  }

  @Test
  void aLaunchIsCheckedBeforeItIsQueued() {
    MemorySegment x = MemorySegment.ofArray(new double[4]);
    try (Stream stream = device.openStream(0)) {
      Executable kernel = device.compiler().compile(TRIPLE);
      assertThatThrownBy(() -> kernel.launch(-1, List.of(x, x), stream))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("-1 items");
      assertThatThrownBy(() -> kernel.launch(4, List.of(x), stream))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("2 buffers");
      assertThatThrownBy(() -> kernel.launch(4, List.of(x, x.asReadOnly()), stream))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("writes y");
      kernel.launch(5, List.of(x, x), stream);
      assertThatThrownBy(stream::await)
          .isInstanceOf(DeviceException.class)
          .hasCauseInstanceOf(IndexOutOfBoundsException.class);
      kernel.close();
      kernel.close();
      assertThatThrownBy(() -> kernel.launch(4, List.of(x, x), stream))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("closed");
    }
  }

  @Test
  void kernelsInOtherLanguagesAreRefused() {
    LoweredKernel source = new LoweredKernel.Source("axpy", List.of(), "cuda", "…");
    assertThat(device.compiler().target()).isEqualTo("jvm");
    assertThatThrownBy(() -> device.compiler().compile(source))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cuda")
        .hasMessageContaining("java");
  }

  @Test
  void executorsHaveTheParallelismAskedFor() {
    try (Executor executor = cpu.openExecutor(3)) {
      assertThat(executor.parallelism()).isEqualTo(3);
    }
    assertThatThrownBy(() -> cpu.openExecutor(0)).isInstanceOf(IllegalArgumentException.class);
  }
}
