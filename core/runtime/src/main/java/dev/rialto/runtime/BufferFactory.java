package dev.rialto.runtime;

import dev.rialto.runtime.memory.AllocationMode;
import dev.rialto.runtime.memory.Block;
import dev.rialto.runtime.memory.Holding;
import dev.rialto.runtime.memory.Lane;
import dev.rialto.runtime.memory.MemoryPools;
import dev.rialto.runtime.memory.Quota;
import dev.rialto.runtime.memory.WrappedBlocks;
import dev.rialto.spi.data.Layout;
import dev.rialto.system.HostMemory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Makes buffers: alone, several in one allocation, or around memory of another owner. */
final class BufferFactory {
  /** Parts of one allocation start where any load can. */
  private static final long PART_ALIGNMENT = 256;

  private BufferFactory() {}

  /** Makes a buffer for a lane: a stream, or the host if it is going to write first. */
  static Buffer empty(
      ComputeDevice device,
      Lane lane,
      String name,
      long bytes,
      AllocationMode mode,
      @Nullable Quota quota) {
    return Buffer.of(device, device.pools().reserve(lane, bytes, mode, quota), bytes, name);
  }

  /**
   * Makes a buffer of host memory that is copied to and from the device fastest. No stream uses it,
   * so the host may write it at once.
   */
  static Buffer staging(ComputeDevice device, String name, long bytes) {
    return staging(device, name, bytes, AllocationMode.POOLED);
  }

  static Buffer staging(ComputeDevice device, String name, long bytes, AllocationMode mode) {
    Block block = device.staging().reserve(device.host(), bytes, mode, null);
    return Buffer.of(device, block, bytes, name);
  }

  static List<Tensor> tensors(
      ComputeStream stream, List<Tensor.Spec> specs, AllocationMode mode, @Nullable Quota quota) {
    ComputeDevice device = stream.device();
    MemoryPools pools = device.pools();
    long alignment = Math.max(PART_ALIGNMENT, pools.space().properties().alignment());
    List<Layout> layouts = new ArrayList<>();
    long[] offsets = new long[specs.size()];
    long[] spans = new long[specs.size()];
    long total = 0;
    for (int i = 0; i < offsets.length; i++) {
      Layout layout = specs.get(i).layout(alignment);
      layouts.add(layout);
      offsets[i] = total;
      spans[i] = layout.span();
      total = Math.addExact(total, (spans[i] + alignment - 1) & -alignment);
    }
    if (specs.isEmpty()) {
      return List.of();
    }
    Block whole = pools.reserve(stream, total, mode, quota);
    whole.heldBy(
        new Holding(whole, specs.size() + " tensors", total, site(device), device.onLeak()));
    List<Block> parts = pools.divide(whole, whole.generation(), offsets, spans);
    List<Tensor> tensors = new ArrayList<>();
    for (int i = 0; i < offsets.length; i++) {
      Tensor.Spec spec = specs.get(i);
      Buffer buffer = Buffer.of(device, parts.get(i), spans[i], spec.name());
      tensors.add(new Tensor(buffer, spec.shape(), layouts.get(i)));
    }
    return List.copyOf(tensors);
  }

  /** Returns who asks for a buffer, if that is kept. */
  static @Nullable StackTraceElement site(ComputeDevice device) {
    return device.tracksAllocations() ? Operation.caller() : null;
  }

  /** Returns a buffer once it is filled, or closes it if that fails. */
  static Buffer filled(Buffer buffer, Runnable filling) {
    try {
      filling.run();
      return buffer;
    } catch (Throwable e) {
      buffer.close();
      throw e;
    }
  }

  /** Returns tensors once they are filled, or closes them if that fails. */
  static List<Tensor> filled(
      List<Tensor> tensors,
      List<MemorySegment> elements,
      BiConsumer<Tensor, MemorySegment> filling) {
    try {
      for (int i = 0; i < tensors.size(); i++) {
        filling.accept(tensors.get(i), elements.get(i));
      }
      return tensors;
    } catch (Throwable e) {
      tensors.forEach(Tensor::close);
      throw e;
    }
  }

  /** Makes a buffer of the memory that a file is mapped to. */
  static Buffer map(Path file, Function<MemorySegment, Buffer> create) {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
        Arena arena = Arena.ofConfined()) {
      return create.apply(channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static Buffer wrap(ComputeDevice device, MemorySegment memory, long bytes, Runnable onRelease) {
    if (bytes < 0) {
      throw new IllegalArgumentException("a buffer of %d bytes; give 0 or more".formatted(bytes));
    }
    HostMemory.requireNative(memory, "the memory to wrap");
    if (device.isHostAccessible()) {
      HostMemory.requireWritable(memory, bytes, "the memory to wrap");
      HostMemory.requireShared(memory, "the memory to wrap");
    }
    return Buffer.of(device, WrappedBlocks.wrap(memory, bytes, onRelease), bytes, "wrapped");
  }
}
