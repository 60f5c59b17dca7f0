package dev.rialto.exchange;

import dev.rialto.exchange.kernel.DevicePacking;
import dev.rialto.exchange.kernel.ExchangeKernels;
import dev.rialto.exchange.kernel.HostKernels;
import java.lang.foreign.MemorySegment;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the exchanges of one {@link Exchanger}.
 *
 * @param kernels what moves elements within memory
 * @param allocator gives zeroed memory, aligned to 64 bytes, for packed messages; it stays the
 *     caller's and must live as long as the exchanger. Null to let the exchanger allocate, as it
 *     must for a device.
 * @param checks whether to find out that memory is touched while an exchange is under way
 */
public record ExchangeOptions(
    ExchangeKernels kernels, @Nullable LongFunction<MemorySegment> allocator, boolean checks) {
  /** Host kernels on the calling thread; checks if {@code -Drialto.checks=true}. */
  public static ExchangeOptions standard() {
    return new ExchangeOptions(HostKernels.serial(), null, Boolean.getBoolean("rialto.checks"));
  }

  /** Arrays of a device, in the order of a stream; see {@link DevicePacking}. */
  public static ExchangeOptions on(DevicePacking kernels) {
    return standard().withKernels(kernels);
  }

  /** Returns these with other kernels. */
  public ExchangeOptions withKernels(ExchangeKernels other) {
    return new ExchangeOptions(other, allocator, checks);
  }

  /** Returns these with packed messages in the caller's memory. */
  public ExchangeOptions withAllocator(LongFunction<MemorySegment> other) {
    return new ExchangeOptions(kernels, other, checks);
  }

  /** Returns these with checks on or off. */
  public ExchangeOptions withChecks(boolean on) {
    return new ExchangeOptions(kernels, allocator, on);
  }
}
