package dev.rialto.jit.library;

import dev.rialto.jit.kernel.Item;
import dev.rialto.jit.kernel.JavaKernel;
import dev.rialto.jit.kernel.JavaKernels;
import dev.rialto.jit.kernel.Philox;
import dev.rialto.jit.kernel.Reals;
import dev.rialto.spi.data.DType;

/** Random numbers, each of which belongs to a seed and its index. */
final class RandomKernels {
  /** The counters of normal numbers are others than those of uniform ones. */
  private static final long NORMAL = 1;

  private RandomKernels() {}

  static JavaKernel uniform(JavaKernels on, DType type) {
    return type == DType.F64
        ? on.withElements(type)
            .kernel(
                (Item it, Reals to, Long seed) ->
                    to.set(it.global(), Philox.uniformDouble(seed, it.global())))
        : on.withElements(type)
            .kernel(
                (Item it, Reals to, Long seed) ->
                    to.set(it.global(), Philox.uniformFloat(seed, it.global())));
  }

  /** The method of Box and Muller; the logarithm's argument is never 0. */
  static JavaKernel normal(JavaKernels on, DType type) {
    return on.withElements(type)
        .kernel(
            (Item it, Reals to, Long seed) -> {
              Philox words = Philox.of(seed, it.global(), NORMAL);
              double u = ((words.first() >>> 5) * 0x1p26 + (words.second() >>> 6) + 1) * 0x1p-53;
              double angle = 2 * Math.PI * (words.third() >>> 1) * 0x1p-31;
              to.set(it.global(), Math.sqrt(-2 * Math.log(u)) * Math.cos(angle));
            });
  }
}
