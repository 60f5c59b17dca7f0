package dev.rialto.runtime;

import dev.rialto.runtime.memory.Block;
import dev.rialto.runtime.memory.Lane;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.memory.MemoryTransfer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.CompletableFuture;

/**
 * Moves bytes between the host and a device, and within and between devices.
 *
 * <p>Where the host can access the device's memory, the caller itself copies when the buffer is not
 * in use: one copy, no queue. Otherwise bytes go through staging memory, which the streams give
 * back in their own time.
 */
final class Transfers {
  /** Longer uploads are cut, so that filling a piece of staging overlaps with sending another. */
  private static final long PIECE = 16 << 20;

  private final ComputeStream stream;
  private final ComputeDevice device;
  private final MemoryTransfer transfer;

  Transfers(ComputeStream stream) {
    this.stream = stream;
    this.device = stream.device();
    this.transfer = device.spi().transfer();
  }

  // --- From the host ----------------------------------------------------------------------------

  /** Copies from the host; the source is the caller's again on return. */
  void write(Buffer target, MemorySegment source) {
    long bytes = source.byteSize();
    if (bytes > target.bytes()) {
      throw new IndexOutOfBoundsException(
          bytes + " bytes exceed " + target + "; give at most as many");
    }
    if (device.isHostAccessible()
        && writeNow(target, () -> MemorySegment.copy(source, 0, target.segment(), 0, bytes))) {
      return;
    }
    Operation operation = Operation.at(Operation.Kind.TRANSFER, "write", bytes);
    for (long done = 0; done < bytes; done += PIECE) {
      long length = Math.min(PIECE, bytes - done);
      try (Buffer staged = Buffers.staging(device, "staging", length)) {
        MemorySegment.copy(source, done, staged.segment(), 0, length);
        MemorySegment to = device.slice(target.segment(), done, length);
        stream.submit(
            operation,
            Footprint.of(staged, target),
            on -> transfer.copyAsync(staged.segment(), to, length, on));
      }
    }
  }

  /** Copies compact elements to where a tensor has them. */
  void write(Tensor target, MemorySegment source) {
    Layout to = target.layout();
    Layout compact = compact(target);
    if (to.isContiguous()) {
      write(target.buffer(), source.asSlice(0, compact.bytes()));
      return;
    }
    MemorySegment memory = target.buffer().segment();
    if (device.isHostAccessible()
        && writeNow(target.buffer(), () -> transfer.copy(source, compact, memory, to))) {
      return;
    }
    try (Buffer staged = Buffers.staging(device, "staging", compact.bytes())) {
      MemorySegment.copy(source, 0, staged.segment(), 0, compact.bytes());
      stream.submit(
          Operation.at(Operation.Kind.TRANSFER, "write", compact.bytes()),
          Footprint.of(staged, target.buffer()),
          on -> transfer.copyAsync(staged.segment(), compact, memory, to, on));
    }
  }

  /** Copies in the caller if no stream uses the buffer, while nobody can add an operation. */
  private static boolean writeNow(Buffer target, Runnable copy) {
    Footprint footprint = Footprint.of(target, Access.WRITE);
    footprint.claim();
    try {
      boolean idle = target.block().isIdle();
      if (idle) {
        copy.run();
        target.block().initialize();
      }
      return idle;
    } finally {
      footprint.unclaim();
    }
  }

  // --- To the host ------------------------------------------------------------------------------

  /** Copies to the host and waits for it; raises what failed on the stream. */
  void read(Buffer source, MemorySegment target) {
    stream.flush();
    if (device.isHostAccessible()) {
      readNow(source, () -> MemorySegment.copy(source.segment(), 0, target, 0, source.bytes()));
    } else {
      long _ = readLater(source, target);
      stream.sync();
    }
  }

  void read(Tensor source, MemorySegment target) {
    Layout compact = compact(source);
    stream.flush();
    if (device.isHostAccessible()) {
      MemorySegment from = source.buffer().segment();
      readNow(source.buffer(), () -> transfer.copy(from, source.layout(), target, compact));
    } else {
      long _ = readLater(source, target);
      stream.sync();
    }
  }

  /** Waits for the last write, and copies while nobody can add another. */
  private void readNow(Buffer source, Runnable copy) {
    Footprint footprint = Footprint.of(source, Access.READ);
    Block block = source.block();
    while (true) {
      footprint.claim();
      Lane writer = block.writer();
      long written = block.written();
      try {
        if (writer == null || writer.timeline().isReached(written)) {
          Throwable failure = writer == null ? null : writer.timeline().failureAt(written);
          if (failure == null) {
            copy.run();
            return;
          }
          throw undefined(source, writer, failure);
        }
      } finally {
        footprint.unclaim();
      }
      writer.timeline().awaitReached(written);
    }
  }

  /** Tells why a buffer has no contents: the failure itself, if nobody has been told of it. */
  private DeviceException undefined(Buffer buffer, Lane writer, Throwable failure) {
    if (writer instanceof ComputeStream other) {
      try {
        other.flush();
      } catch (DeviceException e) {
        return e;
      }
    }
    FailureLog.Entry origin = device.failures().find(failure);
    return new DeviceException(
        buffer
            + " was never written, because "
            + (origin == null ? "an operation" : origin.operation())
            + " failed: "
            + failure,
        stream.name(),
        "write it again",
        failure);
  }

  CompletableFuture<MemorySegment> readAsync(Buffer source) {
    MemorySegment target = host(source.bytes());
    return whenReached(readLater(source, target), source, target);
  }

  CompletableFuture<MemorySegment> readAsync(Tensor source) {
    MemorySegment target = host(source.layout().bytes());
    return whenReached(readLater(source, target), source.buffer(), target);
  }

  private CompletableFuture<MemorySegment> whenReached(
      long position, Buffer source, MemorySegment target) {
    CompletableFuture<MemorySegment> result = new CompletableFuture<>();
    Thread.ofVirtual()
        .name("rialto-read")
        .start(
            () -> {
              try {
                stream.timeline().awaitReached(position);
                Throwable failure = stream.timeline().failureAt(position);
                if (failure == null) {
                  result.complete(target);
                } else {
                  result.completeExceptionally(undefined(source, stream, failure));
                }
              } catch (RuntimeException e) {
                result.completeExceptionally(e);
              }
            });
    return result;
  }

  /** Adds a read; returns the position at which the target has its bytes. */
  private long readLater(Buffer source, MemorySegment target) {
    long bytes = source.bytes();
    return readLater(
        source, target, bytes, (to, on) -> transfer.copyAsync(source.segment(), to, bytes, on));
  }

  private long readLater(Tensor source, MemorySegment target) {
    Layout from = source.layout();
    MemorySegment memory = source.buffer().segment();
    return readLater(
        source.buffer(),
        target,
        from.bytes(),
        (to, on) -> transfer.copyAsync(memory, from, to, compact(source), on));
  }

  /** Adds a copy from a device to memory of the host. */
  private interface Copying {
    void to(MemorySegment target, Stream on);
  }

  private long readLater(Buffer source, MemorySegment target, long bytes, Copying copying) {
    Operation operation = Operation.at(Operation.Kind.TRANSFER, "read", bytes);
    if (device.isHostAccessible()) {
      stream.submit(operation, Footprint.of(source, Access.READ), on -> copying.to(target, on));
      return stream.timeline().position();
    }
    try (Buffer staged = Buffers.staging(device, "staging", bytes)) {
      stream.submit(
          operation,
          Footprint.of(source, staged),
          on -> {
            copying.to(staged.segment(), on);
            on.run(() -> MemorySegment.copy(staged.segment(), 0, target, 0, bytes));
          });
    }
    return stream.timeline().position();
  }

  /** Returns how a tensor's elements lie without gaps. */
  private static Layout compact(Tensor tensor) {
    return Layout.contiguous(tensor.layout().type(), tensor.layout().count());
  }

  /** Makes host memory for a result, aligned for all types. */
  static MemorySegment host(long bytes) {
    long words = (bytes + Long.BYTES - 1) / Long.BYTES;
    return words <= Integer.MAX_VALUE - 8
        ? MemorySegment.ofArray(new long[(int) words]).asSlice(0, bytes)
        : Arena.ofAuto().allocate(bytes, Long.BYTES);
  }

  // --- On and between devices -------------------------------------------------------------------

  void copy(Buffer source, Buffer target) {
    if (source.bytes() > target.bytes()) {
      throw new IndexOutOfBoundsException(source + " does not fit into " + target);
    }
    stream.submit(
        Operation.at(Operation.Kind.TRANSFER, "copy", source.bytes()),
        Footprint.of(source, target),
        on -> transfer.copyAsync(source.segment(), target.segment(), source.bytes(), on));
  }

  void copy(Tensor source, Tensor target) {
    stream.submit(
        Operation.at(Operation.Kind.TRANSFER, "copy", source.layout().bytes()),
        Footprint.of(source.buffer(), target.buffer()),
        on ->
            transfer.copyAsync(
                source.buffer().segment(),
                source.layout(),
                target.buffer().segment(),
                target.layout(),
                on));
  }

  /**
   * Copies to a buffer of another device, on that device's stream: straight from the memory if that
   * is the host's too or the other device says it can, by way of staging otherwise.
   */
  void copyTo(ComputeStream other, Buffer source, Buffer target) {
    Device there = other.device().spi();
    if (device.isHostAccessible()
        || there.transfer().supports(device.spi().memory(), there.memory())) {
      crossing(other, source, target);
      return;
    }
    try (Buffer staged = Buffers.staging(device, "staging", source.bytes())) {
      copy(source, staged);
      crossing(other, staged, target);
    }
  }

  /** Copies from memory that the other device can access, once this device wrote it. */
  private static void crossing(ComputeStream other, Buffer source, Buffer target) {
    MemoryTransfer transfer = other.device().spi().transfer();
    other.submit(
        Operation.at(Operation.Kind.TRANSFER, "copy between devices", source.bytes()),
        Footprint.of(source, target),
        on -> transfer.copyAsync(source.segment(), target.segment(), source.bytes(), on));
  }

  // --- Filling ----------------------------------------------------------------------------------

  /** Repeats a pattern over the whole buffer. */
  void fill(Buffer target, MemorySegment pattern) {
    long step = pattern.byteSize();
    if (step == 0 || target.bytes() % step != 0) {
      throw new IllegalArgumentException(
          "a pattern of " + step + " bytes does not fill " + target + " without a rest");
    }
    MemorySegment copied = host(step).copyFrom(pattern);
    Operation operation = Operation.at(Operation.Kind.FILL, "fill", target.bytes());
    if (device.isHostAccessible()) {
      stream.submit(
          operation,
          Footprint.of(target, Access.WRITE),
          on -> on.run(() -> repeat(copied, target.segment())));
      return;
    }
    try (Buffer staged = Buffers.staging(device, "staging", target.bytes())) {
      stream.submit(
          operation,
          Footprint.of(staged, target),
          on -> {
            on.run(() -> repeat(copied, staged.segment()));
            transfer.copyAsync(staged.segment(), target.segment(), target.bytes(), on);
          });
    }
  }

  /** Doubles what is filled, so that most of it is moved by long copies. */
  private static void repeat(MemorySegment pattern, MemorySegment target) {
    long bytes = target.byteSize();
    long filled = Math.min(pattern.byteSize(), bytes);
    MemorySegment.copy(pattern, 0, target, 0, filled);
    while (filled < bytes) {
      long more = Math.min(filled, bytes - filled);
      MemorySegment.copy(target, 0, target, filled, more);
      filled += more;
    }
  }
}
