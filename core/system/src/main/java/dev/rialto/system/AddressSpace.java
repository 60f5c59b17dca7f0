package dev.rialto.system;

import java.lang.foreign.MemorySegment;

/**
 * The memory of the process by address, for inner loops.
 *
 * <p>An offset into it is an address. Being constant and unbounded it costs loops no checks, and
 * gives them none: callers check their segments with {@link HostMemory} and keep them alive while a
 * loop runs.
 */
public final class AddressSpace {
  /** All of it. */
  @SuppressWarnings("restricted")
  public static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private AddressSpace() {}
}
