package dev.rialto.array.part;

import dev.rialto.exchange.plan.Region;
import dev.rialto.jit.kernel.KernelMemory;
import dev.rialto.runtime.ComputeDevice;
import dev.rialto.runtime.Tensor;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;

/**
 * The elements that a rank owns of an array, lent to a kernel while it is launched. Other threads
 * are refused meanwhile, as by all that is done with arrays.
 *
 * @param array whose elements they are
 * @param tensor the elements
 */
public record KernelLoan(Operand array, Tensor tensor) implements KernelMemory.Lent {
  /**
   * Lends an array.
   *
   * @param padded whether its halo too
   */
  public static KernelLoan of(Operand array, boolean padded, ComputeDevice device) {
    array.team().enter("launching a kernel on " + array);
    try {
      return new KernelLoan(array, tensor(array, padded, device));
    } catch (RuntimeException | Error e) {
      array.team().exit();
      throw e;
    }
  }

  private static Tensor tensor(Operand array, boolean padded, ComputeDevice device) {
    RankPart part = array.usable("launching a kernel on");
    part.halo.requireNone(array, "a kernel");
    if (array.client().device() != device) {
      throw new IllegalArgumentException(
          "a kernel of %s is launched with %s, which is on %s; make it with team.kernels(), or copy the array"
              .formatted(device.name(), array, array.client().device().name()));
    }
    part.requireRowMajor("a kernel takes", array);
    Shape memory = part.layout.shape();
    if (padded) {
      array.requireWhole("the halo", "launch with the whole array");
      return new Tensor(part.lend(), memory, Layout.contiguous(array.type(), memory.count()));
    }
    Shape own =
        !part.layout.isDense() && part.layout.region() instanceof Region.Box box
            ? box.extents()
            : memory;
    return new Tensor(part.lend(), own, array.owned());
  }

  @Override
  public boolean isAwaited() {
    return !array.isOnDevice();
  }

  @Override
  public void close() {
    tensor.close();
    array.team().exit();
  }
}
