package dev.rialto.jit.kernel.launch;

import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import java.lang.foreign.MemorySegment;
import java.util.IdentityHashMap;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/** The arrays of Java's among the arguments of a launch, as buffers of the device while it runs. */
public final class ArrayArguments implements AutoCloseable {
  private final ComputeClient client;
  private final Object[] arguments;
  private final IdentityHashMap<Object, Buffer> buffers = new IdentityHashMap<>();

  /** Copies the arrays to the device. */
  public ArrayArguments(ComputeClient client, Object[] arguments) {
    this.client = client;
    this.arguments = arguments;
    for (Object argument : arguments) {
      MemorySegment memory = memory(argument);
      if (memory != null) {
        buffers.computeIfAbsent(argument, _ -> client.create(memory));
      }
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

  /** The arguments, with buffers in place of the arrays. */
  public Object[] passed() {
    Object[] passed = arguments.clone();
    for (int i = 0; i < passed.length; i++) {
      Buffer buffer = buffers.get(arguments[i]);
      passed[i] = buffer == null ? arguments[i] : buffer;
    }
    return passed;
  }

  /** Waits, and copies back the arrays that were written. */
  public void copyBack(IntPredicate written) {
    for (int i = 0; i < arguments.length; i++) {
      MemorySegment memory = memory(arguments[i]);
      Buffer buffer = buffers.get(arguments[i]);
      if (memory != null && buffer != null && written.test(i)) {
        client.read(buffer, memory);
      }
    }
  }

  @Override
  public void close() {
    buffers.values().forEach(Buffer::close);
  }
}
