package dev.rialto.array.part;

/** Kernels that a team keeps for a device. */
public interface KernelCache extends AutoCloseable {
  /** Gives them back. */
  @Override
  void close();
}
