package dev.rialto.cuda;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.ComputeStream;
import dev.rialto.runtime.Devices;
import dev.rialto.runtime.Kernel;
import dev.rialto.runtime.Launch;
import dev.rialto.runtime.LaunchMode;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.kernel.LoweredKernel;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.kernel.LoweredKernel.Parameter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The runtime on a GPU: nothing of it knows what device it is on. */
@Tag("gpu")
class RuntimeTest {
  private static final LoweredKernel AXPY =
      new LoweredKernel.Source(
          "axpy",
          List.of(
              new Parameter("x", DType.F64, Access.READ),
              new Parameter("y", DType.F64, Access.READ_WRITE)),
          "cuda",
          """
          extern "C" __global__ void axpy(
              const double *x, double *y, long long begin, long long end) {
            long long i = begin + (long long)blockIdx.x * blockDim.x + threadIdx.x;
            if (i < end) y[i] += 2 * x[i];
          }
          """);

  @BeforeAll
  static void isThere() {
    Gpu.assume();
  }

  @Test
  void theGpuReadsTheCountOfALaunch() {
    ComputeClient client = Devices.open("cuda:0").withMode(LaunchMode.UNCHECKED);
    try (Kernel kernel = client.compile(AXPY);
        Buffer x = client.create(MemorySegment.ofArray(new double[] {1, 1, 1, 1}));
        Buffer y = client.create(MemorySegment.ofArray(new double[4]));
        Buffer count = client.create(MemorySegment.ofArray(new long[] {3}))) {
      client.launch(kernel, count, 4, x, y);
      client.launch(kernel, count, 2, x, y);
      assertThat(client.read(y).toArray(ValueLayout.JAVA_DOUBLE)).containsExactly(4, 4, 2, 0);
    }
  }

  @Test
  void checkedLaunchesNameTheAccess() {
    ComputeClient client = Devices.open("cuda:0").withMode(LaunchMode.CHECKED);
    try (Kernel kernel = client.compile(AXPY);
        ComputeStream stream = client.openStream();
        Buffer x = client.create(MemorySegment.ofArray(new double[] {1, 2, 3}));
        Buffer y = client.create(MemorySegment.ofArray(new double[] {10, 20, 30, 40}))) {
      client.launch(kernel, 3, x, y);
      client.sync();
      assertThatThrownBy(
              () -> {
                client.on(stream, () -> client.launch(kernel, 4, x, y));
                stream.sync();
              })
          .rootCause()
          .isInstanceOf(IndexOutOfBoundsException.class)
          .hasMessage(
              "kernel 'axpy', item 3: index 3 is outside buffer 'x', which has 3 elements of F64");
    }
  }

  @Test
  void buffersLaunchesAndStreamsWork() {
    ComputeClient client = Devices.open("cuda:0").withMode(LaunchMode.UNCHECKED);
    try (Kernel kernel = client.compile(AXPY);
        Buffer x = client.create(MemorySegment.ofArray(new double[] {1, 2, 3}));
        Buffer y = client.create(MemorySegment.ofArray(new double[] {10, 20, 30}));
        ComputeStream other = client.openStream()) {
      Launch launch = client.prepare(kernel, 3, x, y);
      for (int i = 0; i < 100; i++) {
        launch.run();
        client.on(other, launch::run);
      }
      assertThat(client.read(y).toArray(ValueLayout.JAVA_DOUBLE)).containsExactly(410, 820, 1230);
    }
  }
}
