package dev.rialto.spi.parts;

import dev.rialto.spi.kernel.LoweredKernel;
import java.lang.foreign.MemorySegment;
import java.util.List;

/** The checks of a launch that every compiler's kernels make. */
public final class LaunchArguments {
  private LaunchArguments() {}

  /**
   * Checks what {@link dev.rialto.spi.kernel.Executable#launch} is given.
   *
   * @throws IllegalArgumentException if it is not what the kernel takes
   */
  public static void check(LoweredKernel kernel, long items, List<MemorySegment> buffers) {
    if (items < 0) {
      throw new IllegalArgumentException(
          "kernel " + kernel.name() + " cannot run over " + items + " items; give 0 or more");
    }
    List<LoweredKernel.Parameter> parameters = kernel.parameters();
    if (buffers.size() != parameters.size()) {
      throw new IllegalArgumentException(
          "kernel "
              + kernel.name()
              + " takes "
              + parameters.size()
              + " buffers, but "
              + buffers.size()
              + " were given");
    }
    for (int i = 0; i < parameters.size(); i++) {
      MemorySegment buffer = buffers.get(i);
      if (parameters.get(i).access() != LoweredKernel.Access.READ && buffer.isReadOnly()) {
        throw new IllegalArgumentException(
            "kernel "
                + kernel.name()
                + " writes "
                + parameters.get(i).name()
                + ", but its buffer is read-only; give memory that can be written");
      }
    }
  }
}
