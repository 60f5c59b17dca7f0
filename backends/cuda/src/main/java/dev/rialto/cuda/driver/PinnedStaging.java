package dev.rialto.cuda.driver;

import dev.rialto.spi.memory.Allocation;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Copies between memory that the operating system may move and a GPU, by way of pinned memory.
 *
 * <p>A lane is a driver's stream with two pinned buffers: while the bus moves one, a core fills the
 * other. One core copies memory slower than the bus moves it, so a large copy is divided into
 * chunks and up to four lanes take them in turn, each with a thread. Lanes are made when first
 * needed and kept: 16 MiB of pinned memory each.
 */
public final class PinnedStaging {
  static final long CHUNK = 8 << 20;
  private static final int LANES = Math.clamp(Runtime.getRuntime().availableProcessors() / 2, 1, 4);
  private static final ExecutorService THREADS =
      Executors.newCachedThreadPool(
          Thread.ofPlatform().daemon().name("cuda-staging-", 0).factory());

  private final CudaContext context;
  private final PinnedMemory pinned;
  private final LinkedBlockingQueue<Lane> idle = new LinkedBlockingQueue<>();
  private int made;

  public PinnedStaging(CudaContext context, PinnedMemory pinned) {
    this.context = context;
    this.pinned = pinned;
  }

  /** A driver's stream and its two buffers. Used by one thread at a time. */
  public final class Lane {
    private final Allocation memory = pinned.allocate(2 * CHUNK);
    private final long stream;
    private final long[] events = new long[2];

    private Lane() {
      context.enter();
      stream = DriverStreams.createStream(0);
      for (int i = 0; i < events.length; i++) {
        events[i] = DriverStreams.createEvent(false);
      }
    }

    public long stream() {
      return stream;
    }

    /** Returns pinned memory of one chunk, whose content is lost with the next copy. */
    MemorySegment buffer(int half) {
      return memory.segment().asSlice(half * CHUNK, CHUNK);
    }

    /** Waits for all that was added. */
    public void await() {
      Driver.check(DriverStreams.synchronize(stream), "copying");
    }

    private void awaitHalf(int half) {
      Driver.check(DriverStreams.synchronizeEvent(events[half]), "copying");
    }

    private void mark(int half) {
      Driver.check(DriverStreams.record(events[half], stream), "copying");
    }
  }

  /** Takes a lane, waiting for one if all are in use; the caller gives it back. */
  public Lane take() {
    Lane lane = takeIdle();
    if (lane != null) {
      return lane;
    }
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return idle.take();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  private @Nullable Lane takeIdle() {
    Lane lane = idle.poll();
    if (lane == null) {
      synchronized (this) {
        if (made < LANES) {
          lane = new Lane();
          made++;
        }
      }
    }
    return lane;
  }

  public void give(Lane lane) {
    idle.add(lane);
  }

  /** Copies host memory, also of the Java heap, to a device's address; returns when done. */
  public void upload(MemorySegment source, long target, long bytes) {
    eachLane(bytes, (lane, chunks) -> upload(lane, chunks, source, target));
  }

  /** Copies from a device's address to host memory, also of the Java heap; returns when done. */
  public void download(long source, MemorySegment target, long bytes) {
    eachLane(bytes, (lane, chunks) -> download(lane, chunks, source, target));
  }

  /** Chunks that lanes take in turn. */
  private static final class Chunks {
    private final AtomicLong next = new AtomicLong();
    private final long bytes;

    Chunks(long bytes) {
      this.bytes = bytes;
    }

    /** Returns where the next chunk starts; the end or more if there is none. */
    long take() {
      return next.getAndAdd(CHUNK);
    }

    long size(long start) {
      return Math.min(CHUNK, bytes - start);
    }
  }

  private interface LaneBody {
    void run(Lane lane, Chunks chunks);
  }

  private void eachLane(long bytes, LaneBody body) {
    Chunks chunks = new Chunks(bytes);
    Lane first = take();
    List<CompletableFuture<Void>> others = new ArrayList<>();
    for (long at = CHUNK; at < bytes && others.size() + 1 < LANES; at += CHUNK) {
      Lane other = takeIdle();
      if (other != null) {
        others.add(CompletableFuture.runAsync(() -> run(other, chunks, body), THREADS));
      }
    }
    try {
      run(first, chunks, body);
    } finally {
      join(others);
    }
  }

  /** Waits for all, for they use the caller's memory, and tells the first failure. */
  private static void join(List<CompletableFuture<Void>> others) {
    try {
      CompletableFuture.allOf(others.toArray(CompletableFuture[]::new)).join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException known ? known : e;
    }
  }

  private void run(Lane lane, Chunks chunks, LaneBody body) {
    try {
      context.enter();
      body.run(lane, chunks);
    } finally {
      give(lane);
    }
  }

  private static void upload(Lane lane, Chunks chunks, MemorySegment source, long target) {
    int half = 0;
    for (long at = chunks.take(); at < chunks.bytes; at = chunks.take()) {
      long size = chunks.size(at);
      lane.awaitHalf(half);
      MemorySegment buffer = lane.buffer(half);
      MemorySegment.copy(source, at, buffer, 0, size);
      DriverMemory.copy(target + at, buffer.address(), size, lane.stream());
      lane.mark(half);
      half = 1 - half;
    }
    lane.await();
  }

  /** While a chunk is on the bus the one before is copied out. */
  private static void download(Lane lane, Chunks chunks, long source, MemorySegment target) {
    int half = 0;
    long before = chunks.bytes;
    for (long at = chunks.take(); at < chunks.bytes || before < chunks.bytes; ) {
      if (at < chunks.bytes) {
        DriverMemory.copy(lane.buffer(half).address(), source + at, chunks.size(at), lane.stream());
        lane.mark(half);
      }
      if (before < chunks.bytes) {
        lane.awaitHalf(1 - half);
        MemorySegment.copy(lane.buffer(1 - half), 0, target, before, chunks.size(before));
      }
      before = at;
      half = 1 - half;
      at = at < chunks.bytes ? chunks.take() : at;
    }
    lane.await();
  }
}
