package dev.rialto.exchange;

import dev.rialto.exchange.kernel.ExchangeKernels;
import dev.rialto.exchange.plan.Block;
import dev.rialto.exchange.plan.Combine;
import dev.rialto.exchange.plan.ExchangePlan;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongFunction;

/**
 * Finds out that memory was touched while an exchange was under way.
 *
 * <p>What is sent and what is received into is copied when a run starts and compared when it is
 * awaited. What will be replaced is filled with ones before, which are no numbers, so that reading
 * it too early shows. Costs some passes over what is exchanged, so it is for tests.
 */
final class AccessChecks {
  private final ExchangePlan plan;
  private final ExchangeKernels kernels;
  private final Guard[] sent;
  private final Guard[] received;

  /** One block and a copy of it. */
  private record Guard(
      Block block,
      MessageKernels pack,
      MessageKernels fill,
      MemorySegment copy,
      MemorySegment now) {}

  AccessChecks(
      ExchangePlan plan,
      DType type,
      int vectors,
      ExchangeKernels kernels,
      LongFunction<MemorySegment> allocator) {
    this.plan = plan;
    this.kernels = kernels;
    this.sent = guards(plan.sends(), List.of(), type, vectors, allocator);
    this.received = guards(plan.receives(), UnpackPlan.of(plan), type, vectors, allocator);
  }

  private Guard[] guards(
      List<Block> blocks,
      List<UnpackPlan> landings,
      DType type,
      int vectors,
      LongFunction<MemorySegment> allocator) {
    Guard[] guards = new Guard[blocks.size()];
    for (int i = 0; i < guards.length; i++) {
      long bytes = type.bytes(blocks.get(i).count()) * vectors;
      MessageKernels pack = MessageKernels.pack(kernels, type, blocks.get(i), vectors);
      guards[i] =
          new Guard(
              blocks.get(i),
              pack,
              landings.isEmpty()
                  ? pack
                  : MessageKernels.unpack(kernels, type, landings.get(i), vectors),
              allocator.apply(bytes),
              allocator.apply(bytes));
    }
    return guards;
  }

  /** Called when everything that is sent has been packed. */
  void started(MemorySegment[] inputs, MemorySegment[] outputs) {
    for (Guard guard : sent) {
      guard.pack.pack(inputs, guard.copy);
    }
    kernels.finish();
    boolean poisoned = plan.combine() == Combine.REPLACE && plan.inPlaceSafe();
    for (Guard guard : received) {
      if (poisoned) {
        guard.copy.fill((byte) 0xff);
        guard.fill.unpack(guard.copy, outputs);
      }
      guard.pack.pack(outputs, guard.copy);
    }
    kernels.finish();
  }

  /** Called before anything is unpacked. */
  void verify(MemorySegment[] inputs, MemorySegment[] outputs) {
    compare(sent, inputs, "what is sent to");
    compare(received, outputs, "what is received from");
  }

  private void compare(Guard[] guards, MemorySegment[] arrays, String what) {
    for (Guard guard : guards) {
      guard.pack.pack(arrays, guard.now);
      kernels.finish();
      long at = guard.copy.mismatch(guard.now);
      if (at >= 0) {
        throw new IllegalStateException(
            "%s: %s rank %d was written between start and await; compute on other elements"
                .formatted(plan, what, guard.block.peer()));
      }
    }
  }
}
