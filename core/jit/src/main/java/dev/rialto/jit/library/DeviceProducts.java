package dev.rialto.jit.library;

import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.Tensor;
import dev.rialto.runtime.Work;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.device.MatrixKernels;
import dev.rialto.spi.device.MatrixKernels.Matrices;
import dev.rialto.spi.device.MatrixKernels.Product;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Products by a device's own kernels. */
final class DeviceProducts {
  private DeviceProducts() {}

  /** Adds a product with the numbers of {@link ProductKernels}; false if the device has none. */
  static boolean run(
      ComputeClient client,
      DType type,
      long batches,
      long[] numbers,
      Tensor c,
      Tensor a,
      Tensor b) {
    Optional<MatrixKernels> kernels = client.device().spi().matrices();
    if (kernels.isEmpty()) {
      return false;
    }
    Map<Buffer, Access> uses = new HashMap<>();
    uses.put(a.buffer(), Access.READ);
    uses.put(b.buffer(), Access.READ);
    uses.merge(c.buffer(), Access.WRITE, (_, _) -> Access.READ_WRITE);
    Work work = client.work("product of " + type, uses);
    Product product =
        new Product(
            type,
            batches,
            numbers[0],
            numbers[1],
            numbers[ProductKernels.SUMMED],
            matrices(work, c, numbers, ProductKernels.C),
            matrices(work, a, numbers, ProductKernels.A),
            matrices(work, b, numbers, ProductKernels.B));
    if (!kernels.get().supports(product)) {
      return false;
    }
    work.add(() -> kernels.get().multiply(product, work.stream()));
    return true;
  }

  private static Matrices matrices(Work work, Tensor tensor, long[] numbers, int at) {
    return new Matrices(
        work.memory(tensor.buffer()),
        numbers[at],
        numbers[at + ProductKernels.BATCH],
        numbers[at + ProductKernels.ROW],
        numbers[at + ProductKernels.COLUMN]);
  }
}
