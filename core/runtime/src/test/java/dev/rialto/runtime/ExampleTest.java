package dev.rialto.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.kernel.LoweredKernel;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.kernel.LoweredKernel.Parameter;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The examples of the documentation. */
class ExampleTest {
  @Test
  void axpy() {
    // @start region="axpy"
    LoweredKernel axpy =
        new LoweredKernel.JavaBody(
            "axpy",
            List.of(
                new Parameter("x", DType.F64, Access.READ),
                new Parameter("y", DType.F64, Access.READ_WRITE)),
            (begin, end, buffers) -> {
              MemorySegment x = buffers.get(0);
              MemorySegment y = buffers.get(1);
              for (long i = begin; i < end; i++) {
                double sum =
                    y.getAtIndex(ValueLayout.JAVA_DOUBLE, i)
                        + 2 * x.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
                y.setAtIndex(ValueLayout.JAVA_DOUBLE, i, sum);
              }
            });
    ComputeClient client = Devices.open("cpu:0");
    double[] result;
    try (Kernel kernel = client.compile(axpy);
        Buffer x = client.create(MemorySegment.ofArray(new double[] {1, 2, 3}));
        Buffer y = client.create(MemorySegment.ofArray(new double[] {10, 20, 30}))) {
      client.launch(kernel, 3, x, y);
      result = client.read(y).toArray(ValueLayout.JAVA_DOUBLE);
    }
    // @end
    assertThat(result).containsExactly(12, 24, 36);
  }

  @Test
  void streams() {
    ComputeClient client = Devices.open("cpu:0");
    try (Kernel kernel = Kernels.increment(client);
        Buffer x = Kernels.create(client, 1, 2);
        // @start region="streams"
        ComputeStream other = client.openStream()) {
      Launch launch = client.prepare(kernel, 2, x);
      launch.run();
      client.on(other, launch::run);
      client.withStream(other).launch(kernel, 2, x);
      // @end
      assertThat(Kernels.doubles(client, x)).containsExactly(4, 5);
    }
  }
}
