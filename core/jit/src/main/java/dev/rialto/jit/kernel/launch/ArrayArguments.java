package dev.rialto.jit.kernel.launch;

import dev.rialto.jit.kernel.KernelMemory;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The arrays among the arguments of a launch while it runs: those of Java's as buffers of the
 * device, others as tensors that are lent.
 */
public final class ArrayArguments implements AutoCloseable {
  private final ComputeClient client;
  private final Object[] arguments;
  private final Object[] passed;
  private final IdentityHashMap<Object, Buffer> buffers = new IdentityHashMap<>();
  private final List<KernelMemory.Lent> lent = new ArrayList<>();

  /**
   * Brings the arrays to the device.
   *
   * @param byAxes whether the kernel uses an argument with an index for each of its axes
   * @throws IllegalArgumentException if one with gaps between its elements is not used so
   */
  public ArrayArguments(ComputeClient client, IntPredicate byAxes, Object... arguments) {
    this.client = client;
    this.arguments = arguments;
    this.passed = arguments.clone();
    try {
      for (int i = 0; i < passed.length; i++) {
        MemorySegment memory = memory(arguments[i]);
        if (memory != null) {
          passed[i] = buffers.computeIfAbsent(arguments[i], _ -> client.create(memory));
        } else if (arguments[i] instanceof KernelMemory array) {
          KernelMemory.Lent elements = array.lend(client.device());
          lent.add(elements);
          passed[i] = elements.tensor();
          if (!byAxes.test(i) && !elements.tensor().layout().isContiguous()) {
            throw new IllegalArgumentException(
                "argument %d of the kernel is used with one index, but the elements of %s do not lie side by side; use it with an index for each axis, or give a copy without a halo"
                    .formatted(i + 1, array));
          }
        }
      }
    } catch (RuntimeException | Error e) {
      close();
      throw e;
    }
  }

  private static @Nullable MemorySegment memory(Object argument) {
    return switch (argument) {
      case double[] a -> MemorySegment.ofArray(a);
      case float[] a -> MemorySegment.ofArray(a);
      case long[] a -> MemorySegment.ofArray(a);
      case int[] a -> MemorySegment.ofArray(a);
      case short[] a -> MemorySegment.ofArray(a);
      case byte[] a -> MemorySegment.ofArray(a);
      default -> null;
    };
  }

  /** The arguments, with buffers and tensors in place of the arrays. */
  public Object[] passed() {
    return passed.clone();
  }

  /** Waits where arrays are the host's, and copies back those of Java's that were written. */
  public void finish(IntPredicate written) {
    for (int i = 0; i < arguments.length; i++) {
      MemorySegment memory = memory(arguments[i]);
      Buffer buffer = buffers.get(arguments[i]);
      if (memory != null && buffer != null && written.test(i)) {
        client.read(buffer, memory);
      }
    }
    if (lent.stream().anyMatch(KernelMemory.Lent::isAwaited)) {
      client.sync();
    }
  }

  @Override
  public void close() {
    buffers.values().forEach(Buffer::close);
    lent.reversed().forEach(KernelMemory.Lent::close);
  }
}
