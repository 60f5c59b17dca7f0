package dev.rialto.jit.library;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Devices;
import dev.rialto.runtime.Tensor;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.device.MatrixKernels;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("gpu")
class DeviceProductsTest {
  /** Multiplies floats in plain loops, but none with a single row. */
  private static final class Plain implements MatrixKernels {
    final List<Product> done = new ArrayList<>();

    @Override
    public boolean supports(Product p) {
      return p.type() == DType.F32 && p.rows() > 1;
    }

    private static long at(Matrices m, long batch, long row, long column) {
      return m.first() + batch * m.batch() + row * m.row() + column * m.column();
    }

    @Override
    public void multiply(Product p, Stream stream) {
      stream.run(() -> multiply(p));
      done.add(p);
    }

    private static void multiply(Product p) {
      for (long q = 0; q < p.batches(); q++) {
        for (long i = 0; i < p.rows(); i++) {
          for (long j = 0; j < p.columns(); j++) {
            float sum = 0;
            for (long k = 0; k < p.summed(); k++) {
              sum += get(p.a(), at(p.a(), q, i, k)) * get(p.b(), at(p.b(), q, k, j));
            }
            p.c().memory().setAtIndex(ValueLayout.JAVA_FLOAT, at(p.c(), q, i, j), sum);
          }
        }
      }
    }

    private static float get(Matrices m, long at) {
      return m.memory().getAtIndex(ValueLayout.JAVA_FLOAT, at);
    }
  }

  /** The host's cores, with kernels for products. */
  private static ComputeClient client(MatrixKernels kernels) {
    Device host = Devices.open("cpu:0").device().spi();
    Device device =
        (Device)
            Proxy.newProxyInstance(
                Device.class.getClassLoader(),
                new Class<?>[] {Device.class},
                (self, method, arguments) ->
                    switch (method.getName()) {
                      case "matrices" -> Optional.of(kernels);
                      case "equals" -> Proxy.isProxyClass(arguments[0].getClass());
                      default -> method.invoke(host, arguments);
                    });
    return Devices.of(device);
  }

  private static Tensor tensor(ComputeClient client, int rows, int columns) {
    float[] values = new float[rows * columns];
    for (int i = 0; i < values.length; i++) {
      values[i] = i % 7 - 2;
    }
    return new Tensor(
        client.create(MemorySegment.ofArray(values)),
        Shape.of(rows, columns),
        Layout.contiguous(DType.F32, values.length));
  }

  private static float[] product(ComputeClient client, int rows) {
    try (KernelLibrary library = KernelLibrary.on(client);
        Tensor a = tensor(client, rows, 4);
        Tensor b = tensor(client, 6, 4);
        Tensor c = tensor(client, rows, 6)) {
      library.product(c, a, KernelLibrary.transposed(b));
      return client.read(c).toArray(ValueLayout.JAVA_FLOAT);
    }
  }

  @Test
  void aDeviceMultipliesWhatItCanAndTheLibraryTheRest() {
    Plain kernels = new Plain();
    ComputeClient client = client(kernels);
    for (int rows : new int[] {5, 1}) {
      assertThat(product(client, rows)).containsExactly(product(Devices.open("cpu:0"), rows));
    }
    assertThat(kernels.done).hasSize(1);
    MatrixKernels.Product first = kernels.done.getFirst();
    assertThat(List.of(first.rows(), first.columns(), first.summed())).containsExactly(5L, 6L, 4L);
    assertThat(List.of(first.b().row(), first.b().column())).containsExactly(1L, 4L);
  }
}
