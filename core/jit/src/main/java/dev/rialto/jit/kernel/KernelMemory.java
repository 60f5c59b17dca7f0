package dev.rialto.jit.kernel;

import dev.rialto.runtime.ComputeDevice;
import dev.rialto.runtime.Tensor;

/** Memory that {@link JavaKernel#launch} takes as it takes a tensor: a rank's part of an array. */
public interface KernelMemory {
  /**
   * Lends the elements to a launch until the result is closed.
   *
   * @param device where the launch is
   * @throws IllegalArgumentException if they are elsewhere
   */
  Lent lend(ComputeDevice device);

  /** Elements that a launch uses. */
  interface Lent extends AutoCloseable {
    /** Returns the elements, where they lie. */
    Tensor tensor();

    /**
     * Returns whether code of the host uses the memory without asking a stream, so that a launch
     * has to be over when it returns.
     */
    boolean isAwaited();

    /** Gives the memory back. */
    @Override
    void close();
  }
}
