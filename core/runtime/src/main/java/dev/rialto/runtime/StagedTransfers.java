package dev.rialto.runtime;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.exec.Timeline;
import dev.rialto.spi.kernel.LoweredKernel.Access;
import dev.rialto.spi.memory.MemoryTransfer;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Copies to and from memory that the host cannot access, by way of staging memory.
 *
 * <p>A long copy is cut into pieces of {@value #PIECE} bytes, two of which are under way: the host
 * fills or empties one while the device copies the other. So a copy of any size needs two pieces of
 * staging memory.
 */
final class StagedTransfers {
  static final long PIECE = 8 << 20;

  private static final int IN_FLIGHT = 2;

  private final ComputeStream stream;
  private final ComputeDevice device;

  StagedTransfers(ComputeStream stream) {
    this.stream = stream;
    this.device = stream.device();
  }

  /** The pieces of some elements: equally many in each but the last. */
  private record Pieces(DType type, long count) {
    long each() {
      return PIECE / type.size();
    }

    int size() {
      return Math.toIntExact(Math.max(1, (count + each() - 1) / each()));
    }

    long first(int piece) {
      return piece * each();
    }

    long count(int piece) {
      return Math.min(each(), count - first(piece));
    }

    long bytes(int piece) {
      return type.bytes(count(piece));
    }

    /** Makes the staging memory of those that are under way at a time. */
    List<Buffer> staging(ComputeDevice device) {
      List<Buffer> made = new ArrayList<>();
      try {
        for (int i = 0; i < Math.min(IN_FLIGHT, size()); i++) {
          made.add(BufferFactory.staging(device, "staging", bytes(0)));
        }
        return made;
      } catch (Throwable e) {
        made.forEach(Buffer::close);
        throw e;
      }
    }

    static Pieces of(Layout layout) {
      return new Pieces(layout.type(), layout.count());
    }
  }

  // --- From the host ----------------------------------------------------------------------------

  /**
   * Copies from the host; the source is the caller's again on return. Of more than two pieces the
   * caller waits for the first ones.
   */
  void write(Tensor target, MemorySegment source, Operation operation) {
    Pieces pieces = Pieces.of(target.layout());
    List<Buffer> staging = pieces.staging(device);
    try {
      long[] used = new long[staging.size()];
      for (int piece = 0; piece < pieces.size(); piece++) {
        int slot = piece % IN_FLIGHT;
        if (piece >= IN_FLIGHT && !await(used[slot])) {
          // An operation of the stream itself, which what it adds comes after.
          staging.get(slot).close();
          staging.set(slot, BufferFactory.staging(device, "staging", pieces.bytes(0)));
        }
        Buffer staged = staging.get(slot);
        long first = pieces.first(piece);
        long count = pieces.count(piece);
        MemorySegment.copy(
            source, pieces.type.bytes(first), staged.segment(), 0, pieces.bytes(piece));
        used[slot] =
            stream.submit(
                operation,
                Footprint.of(staged, target.buffer()),
                on -> scatter(device, staged.segment(), target, first, count, on));
      }
    } finally {
      staging.forEach(Buffer::close);
    }
  }

  private boolean await(long position) {
    try {
      stream.timeline().awaitReached(position);
      return true;
    } catch (IllegalStateException e) {
      return false;
    }
  }

  private static void scatter(
      ComputeDevice at, MemorySegment from, Tensor to, long first, long count, Stream on) {
    MemoryTransfer transfer = at.spi().transfer();
    MemorySegment memory = to.buffer().segment();
    if (to.layout().isContiguous()) {
      long bytes = to.layout().type().bytes(count);
      MemorySegment part = at.slice(memory, to.layout().type().bytes(first), bytes);
      transfer.copyAsync(from, part, bytes, on);
      return;
    }
    long[] done = {0};
    LayoutRange.visit(
        to.layout(),
        first,
        count,
        part -> {
          Layout compact = Layout.contiguous(part.type(), part.count());
          MemorySegment run = from.asSlice(done[0], compact.bytes());
          transfer.copyAsync(run, compact, memory, part, on);
          done[0] += compact.bytes();
        });
  }

  private void gather(Tensor from, long first, long count, MemorySegment to, Stream on) {
    MemoryTransfer transfer = device.spi().transfer();
    MemorySegment memory = from.buffer().segment();
    if (from.layout().isContiguous()) {
      long bytes = from.layout().type().bytes(count);
      MemorySegment part = device.slice(memory, from.layout().type().bytes(first), bytes);
      transfer.copyAsync(part, to, bytes, on);
      return;
    }
    long[] done = {0};
    LayoutRange.visit(
        from.layout(),
        first,
        count,
        part -> {
          Layout compact = Layout.contiguous(part.type(), part.count());
          MemorySegment run = to.asSlice(done[0], compact.bytes());
          transfer.copyAsync(memory, part, run, compact, on);
          done[0] += compact.bytes();
        });
  }

  // --- To the host ------------------------------------------------------------------------------

  /** Adds a read of the contents of this moment, which a thread then has to take. */
  Reading read(Tensor source) {
    return new Reading(source);
  }

  /**
   * A read under way: one operation, which stops before it would overwrite a piece that was not
   * taken yet.
   */
  final class Reading {
    private final Pieces pieces;
    private final List<Buffer> staging;
    private final long[] copied;
    private final List<CompletableFuture<Boolean>> taken = new ArrayList<>();
    private final long end;

    private Reading(Tensor source) {
      pieces = Pieces.of(source.layout());
      copied = new long[pieces.size()];
      for (int piece = IN_FLIGHT; piece < pieces.size(); piece++) {
        taken.add(new CompletableFuture<>());
      }
      staging = pieces.staging(device);
      try {
        List<Footprint.Use> uses = new ArrayList<>();
        uses.add(new Footprint.Use(source.buffer(), Access.READ));
        staging.forEach(staged -> uses.add(new Footprint.Use(staged, Access.WRITE)));
        end =
            stream.submit(
                Operation.at(Operation.Kind.TRANSFER, "read", source.layout().bytes()),
                new Footprint(uses),
                on -> add(source, on));
      } catch (Throwable e) {
        staging.forEach(Buffer::close);
        throw e;
      }
    }

    private void add(Tensor source, Stream on) {
      for (int piece = 0; piece < copied.length; piece++) {
        if (piece >= IN_FLIGHT) {
          CompletableFuture<Boolean> before = taken.get(piece - IN_FLIGHT);
          on.run(before::join);
        }
        MemorySegment to = staging.get(piece % IN_FLIGHT).segment();
        gather(source, pieces.first(piece), pieces.count(piece), to, on);
        copied[piece] = stream.timeline().position();
      }
    }

    /** Waits for the pieces and copies them; returns why that cannot be, or null. */
    @Nullable Throwable take(MemorySegment target) {
      try {
        return takeAll(target);
      } finally {
        taken.forEach(each -> each.complete(false));
        staging.forEach(Buffer::close);
      }
    }

    private @Nullable Throwable takeAll(MemorySegment target) {
      Timeline timeline = stream.timeline();
      for (int piece = 0; piece < copied.length; piece++) {
        // Nothing was added if the source has no contents.
        long position = copied[piece] == 0 ? end : copied[piece];
        timeline.awaitReached(position);
        if (timeline.failureAt(position) != null) {
          break;
        }
        Buffer staged = staging.get(piece % IN_FLIGHT);
        long at = pieces.type.bytes(pieces.first(piece));
        MemorySegment.copy(staged.segment(), 0, target, at, pieces.bytes(piece));
        if (piece < taken.size()) {
          boolean _ = taken.get(piece).complete(true);
        }
      }
      taken.forEach(each -> each.complete(false));
      timeline.awaitReached(end);
      Buffer staged = staging.getFirst();
      staged.block().claim();
      try {
        return staged.block().failure();
      } finally {
        staged.block().unclaim();
      }
    }
  }

  // --- Between devices --------------------------------------------------------------------------

  /** Copies to another device, which takes each piece when this one has copied it. */
  void copyTo(ComputeStream other, Tensor source, Tensor target, Operation operation) {
    Pieces pieces = Pieces.of(source.layout());
    List<Buffer> staging = pieces.staging(device);
    try {
      for (int piece = 0; piece < pieces.size(); piece++) {
        Buffer staged = staging.get(piece % IN_FLIGHT);
        long first = pieces.first(piece);
        long count = pieces.count(piece);
        long _ =
            stream.submit(
                operation,
                Footprint.of(source.buffer(), staged),
                on -> gather(source, first, count, staged.segment(), on));
        long _ =
            other.submit(
                operation,
                Footprint.of(staged, target.buffer()),
                on -> scatter(other.device(), staged.segment(), target, first, count, on));
      }
    } finally {
      staging.forEach(Buffer::close);
    }
  }
}
