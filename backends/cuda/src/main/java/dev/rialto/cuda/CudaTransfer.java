package dev.rialto.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.cuda.driver.CudaContext;
import dev.rialto.cuda.driver.DeviceMemory;
import dev.rialto.cuda.driver.DriverMemory;
import dev.rialto.cuda.driver.PinnedMemory;
import dev.rialto.cuda.driver.PinnedStaging;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.copy.StridedCopy;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.spi.parts.DeviceStream;
import dev.rialto.spi.parts.DeviceTransfer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Copies within a GPU's memory, and between it and the host's.
 *
 * <p>What the GPU can do alone is added to the stream: copies among device and pinned memory, and
 * layouts of them. The rest is host code on the stream, since a thread of the host has to touch
 * memory: pageable memory goes through {@link PinnedStaging}, lists of indices are brought to the
 * GPU first, and copies among host memories are plain ones.
 */
final class CudaTransfer extends DeviceTransfer<CudaStream> {
  private final CudaContext context;
  private final DeviceMemory memory;
  private final PinnedMemory pinned;
  private final PinnedStaging staging;
  private final LayoutKernel layouts;

  /** The kinds of memory. */
  private enum Where {
    /** Reached by the host alone. */
    PAGEABLE,
    /** Reached by both. */
    PINNED,
    /** Reached by a GPU alone. */
    DEVICE
  }

  CudaTransfer(
      CudaContext context, DeviceMemory memory, PinnedMemory pinned, CudaCompiler compiler) {
    super(CudaStream::require);
    this.context = context;
    this.memory = memory;
    this.pinned = pinned;
    this.staging = new PinnedStaging(context, pinned);
    this.layouts = new LayoutKernel(compiler);
  }

  /** Returns what copies between layouts on the GPU. */
  LayoutKernel layouts() {
    return layouts;
  }

  @Override
  protected boolean reaches(MemorySpace space) {
    return space.properties().hostAccessible() || space.name().startsWith("cuda:");
  }

  // --- Checks -----------------------------------------------------------------------------------

  private Where where(MemorySegment segment) {
    if (!segment.isNative()) {
      return Where.PAGEABLE;
    }
    // Memory of a device has no size here; what has one is ours to look up or not the GPU's.
    if (segment.byteSize() > 0) {
      return pinned.room(segment.address()) > 0 ? Where.PINNED : Where.PAGEABLE;
    }
    if (memory.room(segment.address()) >= 0) {
      return Where.DEVICE;
    }
    context.enter();
    return switch (DriverMemory.memoryType(segment.address())) {
      case DriverMemory.MEMORY_DEVICE -> Where.DEVICE;
      case DriverMemory.MEMORY_HOST -> Where.PINNED;
      default -> Where.PAGEABLE;
    };
  }

  @Override
  protected void requireRoom(MemorySegment segment, Layout layout, String role) {
    if (segment.byteSize() > 0 || where(segment) != Where.DEVICE) {
      Arguments.buffer(segment, layout, role);
    } else {
      memory.requireRoom(segment.address(), layout, role);
    }
  }

  @Override
  protected boolean areInOneMemory(MemorySegment first, MemorySegment second) {
    return (where(first) == Where.DEVICE) == (where(second) == Where.DEVICE);
  }

  /** Returns whether a GPU reaches this memory, after checking that it has so many bytes. */
  boolean isOnGpu(MemorySegment segment, long bytes, String role) {
    check(segment, Layout.contiguous(DType.I8, bytes), role);
    return where(segment) != Where.PAGEABLE;
  }

  // --- Bytes ------------------------------------------------------------------------------------

  @Override
  protected void move(MemorySegment source, MemorySegment target, long bytes) {
    Where from = where(source);
    Where to = where(target);
    if (bytes == 0) {
      return;
    }
    if (from != Where.DEVICE && to != Where.DEVICE) {
      MemorySegment.copy(source, 0, target, 0, bytes);
    } else if (from == Where.PAGEABLE) {
      staging.upload(source, target.address(), bytes);
    } else if (to == Where.PAGEABLE) {
      staging.download(source.address(), target, bytes);
    } else {
      onLane(stream -> add(source.address(), target.address(), bytes, stream));
    }
  }

  private void onLane(DeviceStream.Work work) {
    PinnedStaging.Lane lane = staging.take();
    try {
      context.enter();
      work.submit(lane.stream());
      lane.await();
    } finally {
      staging.give(lane);
    }
  }

  /** Adds a copy that the GPU does alone; overlapping memory goes by way of a third place. */
  private static void add(long source, long target, long bytes, long stream) {
    if (Math.abs(source - target) >= bytes) {
      DriverMemory.copy(target, source, bytes, stream);
      return;
    }
    long between = DriverMemory.allocateAsync(bytes, stream);
    try {
      DriverMemory.copy(between, source, bytes, stream);
      DriverMemory.copy(target, between, bytes, stream);
    } finally {
      DriverMemory.freeAsync(between, stream);
    }
  }

  @Override
  protected DeviceStream.@Nullable Work byDevice(
      CudaStream stream, MemorySegment source, MemorySegment target, long bytes) {
    long from = source.address();
    long to = target.address();
    return byGpu(source, target) ? handle -> add(from, to, bytes, handle) : null;
  }

  private boolean within(MemorySegment source, MemorySegment target) {
    return where(source) == Where.DEVICE && where(target) == Where.DEVICE;
  }

  private boolean byGpu(MemorySegment source, MemorySegment target) {
    Where from = where(source);
    Where to = where(target);
    return from != Where.PAGEABLE
        && to != Where.PAGEABLE
        && (from == Where.DEVICE || to == Where.DEVICE);
  }

  // --- Layouts ----------------------------------------------------------------------------------

  @Override
  protected void move(MemorySegment source, Layout from, MemorySegment target, Layout to) {
    if (from.count() == 0) {
      return;
    }
    if (from.isContiguous() && to.isContiguous()) {
      move(source, target, from.bytes());
      return;
    }
    Where read = where(source);
    Where written = where(target);
    if (read != Where.DEVICE && written != Where.DEVICE) {
      StridedCopy.of(from, to).run(source, target);
      return;
    }
    Layout dense = Layout.contiguous(from.type(), from.count());
    if (read == Where.PAGEABLE) {
      try (Allocation between = pinned.allocate(from.bytes())) {
        StridedCopy.of(from, dense).run(source, between.segment());
        onGpu(between.segment(), dense, target, to);
      }
    } else if (written == Where.PAGEABLE) {
      try (Allocation between = pinned.allocate(from.bytes())) {
        onGpu(source, from, between.segment(), dense);
        StridedCopy.of(dense, to).run(between.segment(), target);
      }
    } else {
      onGpu(source, from, target, to);
    }
  }

  /** Copies what the GPU reaches, and waits; lists of indices come along. */
  private void onGpu(MemorySegment source, Layout from, MemorySegment target, Layout to) {
    List<Allocation> lists = new ArrayList<>();
    try {
      long fromList = list(from, lists);
      long toList = list(to, lists);
      boolean within = within(source, target);
      onLane(
          stream ->
              layouts.copy(
                  source.address(), from, fromList, target.address(), to, toList, within, stream));
    } finally {
      lists.forEach(Allocation::close);
    }
  }

  private long list(Layout layout, List<Allocation> lists) {
    if (!(layout instanceof Layout.Indexed indexed)) {
      return 0;
    }
    long[] indices = indexed.indices();
    Allocation list = pinned.allocate((long) indices.length * Long.BYTES);
    lists.add(list);
    MemorySegment.copy(indices, 0, list.segment(), JAVA_LONG, 0, indices.length);
    return list.segment().address();
  }

  @Override
  protected DeviceStream.@Nullable Work byDevice(
      CudaStream stream, MemorySegment source, Layout from, MemorySegment target, Layout to) {
    if (!byGpu(source, target)) {
      return null;
    }
    long read = source.address();
    long written = target.address();
    boolean within = within(source, target);
    return handle -> layouts.copy(read, from, 0, written, to, 0, within, handle);
  }
}
