package dev.rialto.runtime;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.device.Device;
import dev.rialto.spi.error.DeviceException;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.memory.MemoryTransfer;
import dev.rialto.system.HostMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Moves elements between the host and a device, and within and between devices.
 *
 * <p>Where the host can access the device's memory, the caller itself copies when the buffer is not
 * in use: one copy, no queue. Otherwise they go through {@linkplain StagedTransfers staging
 * memory}, which the streams give back in their own time.
 */
final class Transfers {
  /** The bytes that a fill brings from the host. */
  private static final long FILL_PIECE = 64 << 10;

  private final ComputeStream stream;
  private final ComputeDevice device;
  private final MemoryTransfer transfer;

  Transfers(ComputeStream stream) {
    this.stream = stream;
    this.device = stream.device();
    this.transfer = device.spi().transfer();
  }

  static Tensor bytes(Buffer buffer, long count) {
    return new Tensor(buffer, Shape.of(count), Layout.contiguous(DType.I8, count));
  }

  static Tensor bytes(Buffer buffer) {
    return bytes(buffer, buffer.bytes());
  }

  // --- From the host ----------------------------------------------------------------------------

  /** Copies from the host to the start of a buffer; the source is the caller's again on return. */
  void write(Buffer target, MemorySegment source, String name) {
    if (source.byteSize() > target.bytes()) {
      throw new IndexOutOfBoundsException(
          source.byteSize() + " bytes exceed " + target + "; give at most as many");
    }
    write(bytes(target, source.byteSize()), source, name);
  }

  /** Copies compact elements to where a tensor has them. */
  void write(Tensor target, MemorySegment source, String name) {
    long bytes = target.layout().bytes();
    HostMemory.requireReadable(source, bytes, "the source");
    boolean written =
        bytes == 0
            || (device.isHostAccessible()
                && writeNow(target.buffer(), name, bytes, () -> copyNow(source, target)));
    if (!written) {
      Operation operation = Operation.at(Operation.Kind.TRANSFER, name, bytes);
      new StagedTransfers(stream).write(target, source, operation);
    }
  }

  private void copyNow(MemorySegment source, Tensor target) {
    MemorySegment memory = target.buffer().segment();
    if (target.layout().isContiguous()) {
      MemorySegment.copy(source, 0, memory, 0, target.layout().bytes());
    } else {
      transfer.copy(source, compact(target), memory, target.layout());
    }
  }

  /** Copies in the caller if no stream uses the buffer, while no thread can add an operation. */
  private boolean writeNow(Buffer target, String name, long bytes, Runnable copy) {
    long added = now();
    Footprint footprint = Footprint.of(target, Access.WRITE);
    footprint.claim();
    try {
      boolean idle = footprint.isIdle();
      if (idle) {
        timed(name, bytes, added, copy);
        footprint.initialize();
      }
      return idle;
    } finally {
      footprint.unclaim();
    }
  }

  /** Returns the time if times are recorded, else 0. */
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

  /** Copies elements without gaps to the host and waits for it; raises what failed. */
  void read(Tensor source, MemorySegment target) {
    long bytes = source.layout().bytes();
    HostMemory.requireWritable(target, bytes, "the target");
    stream.flush();
    if (device.isHostAccessible()) {
      readNow(source.buffer(), bytes, () -> copyNow(source, target));
      return;
    }
    Throwable failure = new StagedTransfers(stream).read(source).take(target);
    stream.finish();
    if (failure != null) {
      throw undefined(source.buffer(), failure);
    }
  }

  private void copyNow(Tensor source, MemorySegment target) {
    MemorySegment memory = source.buffer().segment();
    if (source.layout().isContiguous()) {
      MemorySegment.copy(memory, 0, target, 0, source.layout().bytes());
    } else {
      transfer.copy(memory, source.layout(), target, compact(source));
    }
  }

  /** Waits for the last write, and copies while no thread can add another. */
  private void readNow(Buffer source, long bytes, Runnable copy) {
    long added = now();
    Footprint footprint = Footprint.of(source, Access.READ);
    while (true) {
      footprint.claim();
      try {
        if (footprint.isWritten()) {
          Throwable failure = footprint.failure();
          if (failure == null) {
            timed("read", bytes, added, copy);
            return;
          }
          if (source.block().writer() == stream) {
            // The stream whose own failure it is tells it in its own words, once.
            stream.flush();
          }
          throw undefined(source, failure);
        }
      } finally {
        footprint.unclaim();
      }
      footprint.awaitWritten();
    }
  }

  /** Tells why a buffer has no contents. */
  DeviceException undefined(Buffer buffer, Throwable failure) {
    FailureLog.Entry origin = device.failures().find(failure);
    return new DeviceException(
        "%s has no contents, because %s failed: %s"
            .formatted(buffer, origin == null ? "an operation" : origin.operation(), failure),
        stream.name(),
        "write it again",
        failure);
  }

  /** Copies to memory of the host without waiting. */
  CompletableFuture<MemorySegment> readAsync(Tensor source) {
    MemorySegment target = host(source.layout().bytes());
    Supplier<@Nullable Throwable> reading =
        device.isHostAccessible()
            ? readLater(source, target)
            : taking(new StagedTransfers(stream).read(source), target);
    CompletableFuture<MemorySegment> result = new CompletableFuture<>();
    Thread.ofVirtual()
        .name("rialto-read")
        .start(
            () -> {
              try {
                Throwable failure = reading.get();
                if (failure == null) {
                  result.complete(target);
                } else {
                  stream.flush();
                  result.completeExceptionally(undefined(source.buffer(), failure));
                }
              } catch (RuntimeException e) {
                result.completeExceptionally(e);
              }
            });
    return result;
  }

  private static Supplier<@Nullable Throwable> taking(
      StagedTransfers.Reading reading, MemorySegment target) {
    return () -> reading.take(target);
  }

  /** Adds a read by the stream itself; the result waits for it and tells why it cannot be. */
  private Supplier<@Nullable Throwable> readLater(Tensor source, MemorySegment target) {
    AtomicBoolean copied = new AtomicBoolean();
    long position =
        stream.submit(
            Operation.at(Operation.Kind.TRANSFER, "read", source.layout().bytes()),
            Footprint.of(source.buffer(), Access.READ),
            on ->
                on.run(
                    () -> {
                      copyNow(source, target);
                      copied.set(true);
                    }));
    return () -> {
      stream.timeline().awaitReached(position);
      if (copied.get()) {
        return null;
      }
      Throwable failure = stream.timeline().failureAt(position);
      return failure == null ? new CancellationException() : failure;
    };
  }

  /** Returns how a tensor's elements lie without gaps. */
  static Layout compact(Tensor tensor) {
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

  static Tensor room(Buffer source, Buffer target) {
    if (source.bytes() > target.bytes()) {
      throw new IndexOutOfBoundsException(source + " does not fit into " + target);
    }
    return bytes(target, source.bytes());
  }

  void copy(Tensor source, Tensor target) {
    requireSame(source.layout(), target.layout());
    long bytes = source.layout().bytes();
    submit(stream, Operation.at(Operation.Kind.TRANSFER, "copy", bytes), source, target);
  }

  /**
   * Copies to a tensor of another device, on that device's stream: straight from the memory if that
   * is the host's too or the other device says it can, by way of staging otherwise.
   */
  void copyTo(ComputeStream other, Tensor source, Tensor target) {
    requireSame(source.layout(), target.layout());
    Operation operation =
        Operation.at(Operation.Kind.TRANSFER, "copy between devices", source.layout().bytes());
    Device there = other.device().spi();
    if (device.isHostAccessible()
        || there.transfer().supports(device.spi().memory(), there.memory())) {
      submit(other, operation, source, target);
    } else {
      new StagedTransfers(stream).copyTo(other, source, target, operation);
    }
  }

  private static void requireSame(Layout source, Layout target) {
    if (source.type() != target.type() || source.count() != target.count()) {
      throw new IllegalArgumentException(
          "%s elements of %s do not fit %s of %s; give a tensor of the same type and count"
              .formatted(source.count(), source.type(), target.count(), target.type()));
    }
  }

  /** Copies on a stream whose device can access both. */
  private static void submit(ComputeStream on, Operation operation, Tensor source, Tensor target) {
    MemoryTransfer by = on.device().spi().transfer();
    MemorySegment from = source.buffer().segment();
    MemorySegment to = target.buffer().segment();
    boolean contiguous = source.layout().isContiguous() && target.layout().isContiguous();
    long _ =
        on.submit(
            operation,
            Footprint.of(source.buffer(), target.buffer()),
            labelled -> {
              if (contiguous) {
                by.copyAsync(from, to, source.layout().bytes(), labelled);
              } else {
                by.copyAsync(from, source.layout(), to, target.layout(), labelled);
              }
            });
  }

  // --- Filling ----------------------------------------------------------------------------------

  /** Repeats a pattern over the whole buffer. */
  void fill(Buffer target, MemorySegment pattern) {
    long step = pattern.byteSize();
    if (step == 0 || target.bytes() % step != 0) {
      throw new IllegalArgumentException(
          "a pattern of " + step + " bytes does not fill " + target + " without a rest");
    }
    Operation operation = Operation.at(Operation.Kind.FILL, "fill", target.bytes());
    if (device.isHostAccessible()) {
      MemorySegment copied = host(step).copyFrom(pattern);
      long _ =
          stream.submit(
              operation,
              Footprint.of(target, Access.WRITE),
              on -> on.run(() -> repeat(copied, target.segment())));
      return;
    }
    // A short piece comes from the host; the device doubles it, as fast as it copies. The caller
    // writes it: host code in the stream would begin once all before it has ended.
    long first = Math.min(target.bytes(), step * Math.max(1, FILL_PIECE / step));
    try (Buffer staged = BufferFactory.staging(device, "staging", first)) {
      repeat(pattern, staged.segment());
      long _ =
          stream.submit(
              operation,
              Footprint.of(staged, target),
              on -> {
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
