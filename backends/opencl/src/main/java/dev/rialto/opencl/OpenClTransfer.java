package dev.rialto.opencl;

import static java.util.Objects.requireNonNull;

import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.copy.StridedCopy;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.error.MemoryException;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.spi.parts.DeviceStream;
import dev.rialto.spi.parts.DeviceTransfer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Copies within a device's memory, between it and the host's, and by way of the host between
 * devices: they may be of different drivers.
 *
 * <p>What the device can do alone is added to the stream. The rest is host code on the stream: a
 * command that reads the host's memory later could find it freed, so one that does is waited for
 * while the memory is held. Layouts are packed by who can reach them: the device its own, the host
 * its own, with dense memory in between.
 */
final class OpenClTransfer extends DeviceTransfer<OpenClStream> {
  /** The bytes of an array of the Java heap that go at a time, through memory with an address. */
  private static final long CHUNK = 8 << 20;

  private final OpenClContext context;
  private final OpenClMemory memory;
  private final LayoutProgram layouts;
  private final List<OpenClTransfer> all;

  /**
   * Makes one.
   *
   * @param all those of all devices, this one too once all are open
   */
  OpenClTransfer(
      OpenClContext context,
      OpenClMemory memory,
      OpenClCompiler compiler,
      List<OpenClTransfer> all) {
    super(OpenClStream::require);
    this.context = context;
    this.memory = memory;
    this.layouts = new LayoutProgram(compiler);
    this.all = all;
  }

  @Override
  protected boolean reaches(MemorySpace space) {
    return space.properties().hostAccessible()
        || all.stream().anyMatch(device -> space.name().equals(device.memory.name()));
  }

  // --- Checks -----------------------------------------------------------------------------------

  /** Returns the device that a segment lies on, or null if it is the host's. */
  private @Nullable OpenClTransfer home(MemorySegment segment) {
    // Memory of a device has no size here; what has one is the host's.
    if (!segment.isNative() || segment.byteSize() > 0) {
      return null;
    }
    for (OpenClTransfer device : all) {
      if (device.memory.room(segment.address()) >= 0) {
        return device;
      }
    }
    return null;
  }

  private boolean isHere(OpenClStream stream, MemorySegment source, MemorySegment target) {
    return home(source) == this && home(target) == this && stream.context() == context;
  }

  @Override
  protected void requireRoom(MemorySegment segment, Layout layout, String role) {
    OpenClTransfer home = home(segment);
    if (home != null) {
      home.memory.requireRoom(segment.address(), layout, role);
    } else {
      Arguments.buffer(segment, layout, role);
    }
  }

  @Override
  protected boolean areInOneMemory(MemorySegment first, MemorySegment second) {
    return home(first) == home(second);
  }

  // --- Bytes ------------------------------------------------------------------------------------

  @Override
  protected void move(MemorySegment source, MemorySegment target, long bytes) {
    OpenClTransfer from = home(source);
    OpenClTransfer to = home(target);
    if (bytes == 0) {
      return;
    }
    if (from == null && to == null) {
      MemorySegment.copy(source, 0, target, 0, bytes);
    } else if (from == null) {
      requireNonNull(to).upload(source, target.address(), bytes);
    } else if (to == null) {
      from.download(source.address(), target, bytes);
    } else if (from == to) {
      from.moveWithin(source, target, bytes);
    } else {
      inChunks(
          bytes,
          (chunk, at, part) -> {
            from.download(source.address() + at, chunk, part);
            to.upload(chunk, target.address() + at, part);
          });
    }
  }

  private static boolean overlap(MemorySegment source, MemorySegment target, long bytes) {
    return Math.abs(source.address() - target.address()) < bytes;
  }

  private void moveWithin(MemorySegment source, MemorySegment target, long bytes) {
    long queue = context.service();
    if (!overlap(source, target, bytes)) {
      QueueFunctions.copy(queue, true, target, source, bytes);
      return;
    }
    try (Scratch between = new Scratch(bytes)) {
      MemorySegment third = MemorySegment.ofAddress(between.address);
      QueueFunctions.copy(queue, false, third, source, bytes);
      QueueFunctions.copy(queue, true, target, third, bytes);
    }
  }

  private void upload(MemorySegment source, long target, long bytes) {
    if (source.isNative()) {
      QueueFunctions.copy(context.service(), true, MemorySegment.ofAddress(target), source, bytes);
      return;
    }
    inChunks(
        bytes,
        (chunk, at, part) -> {
          MemorySegment.copy(source, at, chunk, 0, part);
          upload(chunk, target + at, part);
        });
  }

  private void download(long source, MemorySegment target, long bytes) {
    if (target.isNative()) {
      QueueFunctions.copy(context.service(), true, target, MemorySegment.ofAddress(source), bytes);
      return;
    }
    inChunks(
        bytes,
        (chunk, at, part) -> {
          download(source + at, chunk, part);
          MemorySegment.copy(chunk, 0, target, at, part);
        });
  }

  /** A part of a copy. */
  private interface Part {
    /** Moves {@code bytes} from byte {@code at} on, by way of memory of the host. */
    void move(MemorySegment chunk, long at, long bytes);
  }

  private static void inChunks(long bytes, Part part) {
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment chunk = arena.allocate(Math.min(bytes, CHUNK), 64);
      for (long at = 0; at < bytes; at += CHUNK) {
        part.move(chunk, at, Math.min(CHUNK, bytes - at));
      }
    }
  }

  @Override
  protected DeviceStream.@Nullable Work byDevice(
      OpenClStream stream, MemorySegment source, MemorySegment target, long bytes) {
    if (!isHere(stream, source, target) || overlap(source, target, bytes)) {
      return null;
    }
    return queue -> {
      QueueFunctions.copy(queue, false, target, source, bytes);
      QueueFunctions.flush(queue);
    };
  }

  // --- Layouts ----------------------------------------------------------------------------------

  @Override
  protected void move(MemorySegment source, Layout from, MemorySegment target, Layout to) {
    OpenClTransfer read = home(source);
    OpenClTransfer written = home(target);
    if (from.count() == 0) {
      return;
    }
    if (from.isContiguous() && to.isContiguous()) {
      move(source, target, from.bytes());
    } else if (read == null && written == null) {
      StridedCopy.of(from, to).run(source, target);
    } else if (read != null && read == written) {
      read.moveWithin(source, from, target, to);
    } else {
      Layout dense = Layout.contiguous(from.type(), from.count());
      try (Arena arena = Arena.ofConfined()) {
        MemorySegment host = arena.allocate(from.bytes(), 64);
        if (read == null) {
          StridedCopy.of(from, dense).run(source, host);
        } else {
          read.gather(source, from, host, dense);
        }
        if (written == null) {
          StridedCopy.of(dense, to).run(host, target);
        } else {
          written.scatter(host, dense, target, to);
        }
      }
    }
  }

  private void gather(MemorySegment source, Layout from, MemorySegment host, Layout dense) {
    try (Scratch between = new Scratch(dense.bytes())) {
      moveWithin(source, from, MemorySegment.ofAddress(between.address), dense);
      download(between.address, host, dense.bytes());
    }
  }

  private void scatter(MemorySegment host, Layout dense, MemorySegment target, Layout to) {
    try (Scratch between = new Scratch(dense.bytes())) {
      upload(host, between.address, dense.bytes());
      moveWithin(MemorySegment.ofAddress(between.address), dense, target, to);
    }
  }

  /** Copies within the device's memory, and waits; lists of indices come along. */
  private void moveWithin(MemorySegment source, Layout from, MemorySegment target, Layout to) {
    long queue = context.service();
    try (Scratch fromList = list(from);
        Scratch toList = list(to)) {
      layouts.copy(
          source.address(), from, fromList.address, target.address(), to, toList.address, queue);
      QueueFunctions.finish(queue);
    }
  }

  private Scratch list(Layout layout) {
    if (!(layout instanceof Layout.Indexed indexed)) {
      return new Scratch(0);
    }
    MemorySegment indices = MemorySegment.ofArray(indexed.indices());
    Scratch list = new Scratch(indices.byteSize());
    upload(indices, list.address, indices.byteSize());
    return list;
  }

  @Override
  protected DeviceStream.@Nullable Work byDevice(
      OpenClStream stream, MemorySegment source, Layout from, MemorySegment target, Layout to) {
    long read = source.address();
    long written = target.address();
    return isHere(stream, source, target)
        ? queue -> layouts.copy(read, from, 0, written, to, 0, queue)
        : null;
  }

  /** Memory of the device that no other stream sees, with any content; none for no bytes. */
  private final class Scratch implements AutoCloseable {
    private final long address;

    Scratch(long bytes) {
      this.address = bytes == 0 ? 0 : QueueFunctions.allocate(context.handle(), bytes);
      if (bytes > 0 && address == 0) {
        throw new MemoryException(
            bytes + " bytes cannot be allocated for a copy; " + memory.used() + " are used",
            memory.name(),
            "close what is no longer needed, or copy less at a time",
            null);
      }
    }

    @Override
    public void close() {
      if (address != 0) {
        QueueFunctions.free(context.handle(), address);
      }
    }
  }
}
