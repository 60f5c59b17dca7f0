package dev.rialto.runtime;

import dev.rialto.runtime.memory.Block;
import dev.rialto.runtime.memory.Lane;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.memory.HostMemory;
import dev.rialto.spi.memory.MemoryTransfer;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

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

  /** What a fill brings from the host. */
  private static final long FILL_PIECE = 64 << 10;

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
  void write(Buffer target, MemorySegment source, String name) {
    long bytes = source.byteSize();
    HostMemory.requireReadable(source, bytes, "the source");
    if (bytes > target.bytes()) {
      throw new IndexOutOfBoundsException(
          bytes + " bytes exceed " + target + "; give at most as many");
    }
    if (device.isHostAccessible()
        && writeNow(
            target, name, bytes, () -> MemorySegment.copy(source, 0, target.segment(), 0, bytes))) {
      return;
    }
    Operation operation = Operation.at(Operation.Kind.TRANSFER, name, bytes);
    for (long done = 0; done < bytes; done += PIECE) {
      long length = Math.min(PIECE, bytes - done);
      try (Buffer staged = BufferFactory.staging(device, "staging", length)) {
        MemorySegment.copy(source, done, staged.segment(), 0, length);
        MemorySegment to = device.slice(target.segment(), done, length);
        long _ =
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
    HostMemory.requireReadable(source, compact.bytes(), "the source");
    if (to.isContiguous()) {
      write(target.buffer(), source.asSlice(0, compact.bytes()), "write");
      return;
    }
    MemorySegment memory = target.buffer().segment();
    if (device.isHostAccessible()
        && writeNow(
            target.buffer(),
            "write",
            compact.bytes(),
            () -> transfer.copy(source, compact, memory, to))) {
      return;
    }
    try (Buffer staged = BufferFactory.staging(device, "staging", compact.bytes())) {
      MemorySegment.copy(source, 0, staged.segment(), 0, compact.bytes());
      long _ =
          stream.submit(
              Operation.at(Operation.Kind.TRANSFER, "write", compact.bytes()),
              Footprint.of(staged, target.buffer()),
              on -> transfer.copyAsync(staged.segment(), compact, memory, to, on));
    }
  }

  /** Copies in the caller if no stream uses the buffer, while nobody can add an operation. */
  private boolean writeNow(Buffer target, String name, long bytes, Runnable copy) {
    long added = now();
    Footprint footprint = Footprint.of(target, Access.WRITE);
    footprint.claim();
    try {
      boolean idle = target.block().isIdle();
      if (idle) {
        timed(name, bytes, added, copy);
        target.block().initialize();
      }
      return idle;
    } finally {
      footprint.unclaim();
    }
  }

  /** Returns the time if somebody wants times, and 0 if nobody does. */
  private long now() {
    return StreamWatch.isTiming(device) ? System.nanoTime() : 0;
  }

  /** Copies in the caller, and tells profiles and traces if they have wanted times since then. */
  private void timed(String name, long bytes, long added, Runnable copy) {
    stream.tell(name, bytes);
    if (added == 0) {
      copy.run();
      return;
    }
    long began = System.nanoTime();
    copy.run();
    device.profiledFromHost(
        new Profile.Entry(
            device.name() + "/host",
            Operation.at(Operation.Kind.TRANSFER, name, bytes),
            added,
            began,
            System.nanoTime(),
            Optional.empty()));
  }

  // --- To the host ------------------------------------------------------------------------------

  /** Copies to the host and waits for it; raises what failed on the stream. */
  void read(Buffer source, MemorySegment target) {
    long bytes = source.bytes();
    HostMemory.requireWritable(target, bytes, "the target");
    stream.flush();
    if (device.isHostAccessible()) {
      readNow(
          source, bytes, () -> MemorySegment.copy(source.segment(), 0, target, 0, source.bytes()));
    } else {
      readStaged(source, target, bytes, copying(source));
    }
  }

  void read(Tensor source, MemorySegment target) {
    Layout compact = compact(source);
    HostMemory.requireWritable(target, compact.bytes(), "the target");
    stream.flush();
    if (device.isHostAccessible()) {
      MemorySegment from = source.buffer().segment();
      readNow(
          source.buffer(),
          compact.bytes(),
          () -> transfer.copy(from, source.layout(), target, compact));
    } else {
      readStaged(source.buffer(), target, compact.bytes(), copying(source));
    }
  }

  /** Copies to staging memory, waits, and copies from there in the caller, whose target it is. */
  private void readStaged(Buffer source, MemorySegment target, long bytes, Copying copying) {
    try (Buffer staged = BufferFactory.staging(device, "staging", bytes)) {
      long position =
          stream.submit(
              Operation.at(Operation.Kind.TRANSFER, "read", bytes),
              Footprint.of(source, staged),
              on -> copying.to(staged.segment(), on));
      stream.timeline().awaitReached(position);
      stream.finish();
      Throwable failure;
      staged.block().claim();
      try {
        failure = staged.block().failure();
      } finally {
        staged.block().unclaim();
      }
      if (failure != null) {
        throw undefined(source, failure);
      }
      MemorySegment.copy(staged.segment(), 0, target, 0, bytes);
    }
  }

  /** Waits for the last write, and copies while nobody can add another. */
  private void readNow(Buffer source, long bytes, Runnable copy) {
    long added = now();
    Footprint footprint = Footprint.of(source, Access.READ);
    Block block = source.block();
    while (true) {
      footprint.claim();
      Lane writer = block.writer();
      long written = block.written();
      try {
        if (writer == null || writer.timeline().isReached(written)) {
          Throwable failure = block.failure();
          if (failure == null) {
            timed("read", bytes, added, copy);
            return;
          }
          if (writer == stream) {
            // Whose own failure it is hears of it in its own words, once.
            stream.flush();
          }
          throw undefined(source, failure);
        }
      } finally {
        footprint.unclaim();
      }
      writer.timeline().awaitReached(written);
    }
  }

  /** Tells why a buffer has no contents. */
  DeviceException undefined(Buffer buffer, Throwable failure) {
    FailureLog.Entry origin = device.failures().find(failure);
    return new DeviceException(
        buffer
            + " has no contents, because "
            + (origin == null ? "an operation" : origin.operation())
            + " failed: "
            + failure,
        stream.name(),
        "write it again",
        failure);
  }

  CompletableFuture<MemorySegment> readAsync(Buffer source) {
    return readAsync(source, source.bytes(), copying(source));
  }

  CompletableFuture<MemorySegment> readAsync(Tensor source) {
    return readAsync(source.buffer(), source.layout().bytes(), copying(source));
  }

  private CompletableFuture<MemorySegment> readAsync(Buffer source, long bytes, Copying copying) {
    MemorySegment target = host(bytes);
    AtomicBoolean copied = new AtomicBoolean();
    long position = readLater(source, target, bytes, copying, () -> copied.set(true));
    CompletableFuture<MemorySegment> result = new CompletableFuture<>();
    Thread.ofVirtual()
        .name("rialto-read")
        .start(
            () -> {
              try {
                stream.timeline().awaitReached(position);
                if (copied.get()) {
                  result.complete(target);
                } else {
                  stream.flush();
                  Throwable failure = stream.timeline().failureAt(position);
                  result.completeExceptionally(
                      undefined(source, failure == null ? new CancellationException() : failure));
                }
              } catch (RuntimeException e) {
                result.completeExceptionally(e);
              }
            });
    return result;
  }

  private Copying copying(Buffer source) {
    return (to, on) -> transfer.copyAsync(source.segment(), to, source.bytes(), on);
  }

  private Copying copying(Tensor source) {
    MemorySegment memory = source.buffer().segment();
    return (to, on) -> transfer.copyAsync(memory, source.layout(), to, compact(source), on);
  }

  /** Adds a copy from a device to memory of the host. */
  private interface Copying {
    void to(MemorySegment target, Stream on);
  }

  /** Adds a read to memory that all threads may use; returns the position after it. */
  private long readLater(
      Buffer source, MemorySegment target, long bytes, Copying copying, Runnable whenCopied) {
    Operation operation = Operation.at(Operation.Kind.TRANSFER, "read", bytes);
    if (device.isHostAccessible()) {
      return stream.submit(
          operation,
          Footprint.of(source, Access.READ),
          on -> {
            copying.to(target, on);
            on.run(whenCopied);
          });
    }
    try (Buffer staged = BufferFactory.staging(device, "staging", bytes)) {
      return stream.submit(
          operation,
          Footprint.of(source, staged),
          on -> {
            copying.to(staged.segment(), on);
            on.run(
                () -> {
                  MemorySegment.copy(staged.segment(), 0, target, 0, bytes);
                  whenCopied.run();
                });
          });
    }
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
    requireRoom(source, target);
    long _ =
        stream.submit(
            Operation.at(Operation.Kind.TRANSFER, "copy", source.bytes()),
            Footprint.of(source, target),
            on -> transfer.copyAsync(source.segment(), target.segment(), source.bytes(), on));
  }

  private static void requireRoom(Buffer source, Buffer target) {
    if (source.bytes() > target.bytes()) {
      throw new IndexOutOfBoundsException(source + " does not fit into " + target);
    }
  }

  void copy(Tensor source, Tensor target) {
    long _ =
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
    requireRoom(source, target);
    Device there = other.device().spi();
    if (device.isHostAccessible()
        || there.transfer().supports(device.spi().memory(), there.memory())) {
      crossing(other, source, target);
      return;
    }
    try (Buffer staged = BufferFactory.staging(device, "staging", source.bytes())) {
      copy(source, staged);
      crossing(other, staged, target);
    }
  }

  /** Copies from memory that the other device can access, once this device wrote it. */
  private static void crossing(ComputeStream other, Buffer source, Buffer target) {
    MemoryTransfer transfer = other.device().spi().transfer();
    long _ =
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
      long _ =
          stream.submit(
              operation,
              Footprint.of(target, Access.WRITE),
              on -> on.run(() -> repeat(copied, target.segment())));
      return;
    }
    // A short piece comes from the host; the device doubles it, as fast as it copies.
    long first = Math.min(target.bytes(), step * Math.max(1, FILL_PIECE / step));
    try (Buffer staged = BufferFactory.staging(device, "staging", first)) {
      long _ =
          stream.submit(
              operation,
              Footprint.of(staged, target),
              on -> {
                on.run(() -> repeat(copied, staged.segment()));
                MemorySegment all = target.segment();
                transfer.copyAsync(staged.segment(), all, first, on);
                for (long done = first; done < target.bytes(); ) {
                  long more = Math.min(done, target.bytes() - done);
                  transfer.copyAsync(all, device.slice(all, done, more), more, on);
                  done += more;
                }
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
