package dev.rialto.fftw;

import static dev.rialto.system.AddressSpace.MEMORY;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Executor.RangeBody;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import dev.rialto.system.HostMemory;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * A plan of FFTW per shape of work: lines are cut into blocks, one for each thread and plane, and
 * the last block of a plane may be shorter.
 *
 * <p>FFTW passes over its output several times. Where neighbouring points are far apart, by a power
 * of two, each pass would miss the caches, so blocks are narrow then: their results go to dense
 * memory that fits a cache, and row by row to where they belong. The input is read once, so only
 * rows that are very far apart are copied before. Cubes of 128 points take two thirds of the time
 * that way.
 *
 * <p>FFTW's plans are made for in place or not, and for aligned memory or any; using one for the
 * other is an error that it does not notice. So there is one for each, the rarer ones made when
 * first needed. Results are scaled block by block while they are in the cache.
 */
final class FftwPlan implements FftPlan {
  /** From this many bytes between neighbouring points on, results go through dense blocks. */
  private static final long FAR_RESULTS = 1 << 10;

  /** The same for points to read; measuring a plan takes memory from the first to the last. */
  private static final long FAR_POINTS = 16 << 10;

  /** A small part of a second-level cache: the tiles of a larger transform are there too. */
  private static final long BLOCK_BYTES = 64 << 10;

  /** Points so many bytes apart, or a multiple, fight for few places of the first-level cache. */
  private static final long CROWDED = 512;

  private static final int IN_PLACE = 1;
  private static final int UNALIGNED = 2;
  private static final int SHORT = 4;

  private final FftSpec spec;
  private final Library library;
  private final @Nullable Executor executor;
  private final boolean gathers;
  private final boolean scatters;
  private final long width;
  private final long blocksPerPlane;
  private final int slots;
  private final long gathered;
  private final long slotBytes;

  /** Native plans by the sum of the constants above; 0 is none. */
  private final long[] plans = new long[8];

  private final ArrayDeque<Execution> idle = new ArrayDeque<>();

  /** The executions under way, and one more until this is closed; the last frees the plans. */
  private final AtomicInteger users = new AtomicInteger(1);

  private final AtomicBoolean closed = new AtomicBoolean();

  FftwPlan(FftSpec spec, Library library, @Nullable Executor executor) {
    this.spec = spec;
    this.library = library;
    this.executor = executor;
    this.gathers = isFar(spec.inType(), spec.inStride(), spec.inDistance(), FAR_POINTS);
    this.scatters = isFar(spec.outType(), spec.outStride(), spec.outDistance(), FAR_RESULTS);
    int threads = executor == null ? 1 : executor.parallelism();
    long parts = Math.ceilDiv(threads, Math.max(1, spec.planes()));
    long share = Math.max(1, Math.ceilDiv(spec.lines(), parts));
    this.width = gathers || scatters ? Math.min(share, dense()) : share;
    this.blocksPerPlane = Math.ceilDiv(spec.lines(), width);
    this.slots = Math.clamp(blocks(), 1, threads);
    this.gathered = gathers ? aligned(spec.inType().bytes(width * spec.inPoints())) : 0;
    long scattered = scatters ? aligned(spec.outType().bytes(width * spec.outPoints())) : 0;
    this.slotBytes = inPlaceInBlock() ? gathered : gathered + scattered;
    if (blocks() > 0) {
      var _ = plan(0);
      if (spec.lines() % width != 0) {
        var _ = plan(SHORT);
      }
    }
  }

  private static boolean isFar(DType element, long stride, long distance, long far) {
    return distance == 1 && element.bytes(stride) >= far && element.bytes(stride) % CROWDED == 0;
  }

  /** Returns how many lines fit a block; whole cache lines of them at least. */
  private long dense() {
    long bytes = Math.max(spec.inType().size(), spec.outType().size());
    long line = 64 / Math.min(spec.inType().size(), spec.outType().size());
    return Math.max(1, BLOCK_BYTES / (bytes * spec.length() * line)) * line;
  }

  private static long aligned(long bytes) {
    return Math.ceilDiv(bytes, 64) * 64;
  }

  private boolean inPlaceInBlock() {
    return gathers && scatters && spec.inType() == spec.outType();
  }

  private long blocks() {
    return spec.planes() * blocksPerPlane;
  }

  @Override
  public FftSpec spec() {
    return spec;
  }

  @Override
  public long workspaceBytes() {
    return slots * slotBytes;
  }

  private long plan(int which) {
    synchronized (plans) {
      if (plans[which] == 0) {
        long lines = (which & SHORT) == 0 ? width : spec.lines() % width;
        FftSpec one =
            new FftSpec(
                spec.kind(),
                spec.precision(),
                spec.length(),
                lines,
                gathers ? width : spec.inStride(),
                gathers ? 1 : spec.inDistance(),
                scatters ? width : spec.outStride(),
                scatters ? 1 : spec.outDistance());
        boolean inPlace = inPlaceInBlock() || (which & IN_PLACE) != 0;
        // Measuring overwrites what it measures on, so never the caller's memory.
        try (Arena arena = Arena.ofConfined()) {
          MemorySegment in = arena.allocate(one.inBytes(), 64);
          MemorySegment out = inPlace ? in : arena.allocate(one.outBytes(), 64);
          plans[which] =
              library.plan(one, lines, in.address(), out.address(), (which & UNALIGNED) == 0);
        }
      }
      return plans[which];
    }
  }

  @Override
  public void execute(MemorySegment in, MemorySegment out, MemorySegment workspace) {
    execute(in, 0, out, 0, workspace);
  }

  @Override
  public void execute(
      MemorySegment in, long inOffset, MemorySegment out, long outOffset, MemorySegment workspace) {
    if (closed.get() || users.getAndUpdate(n -> n == 0 ? 0 : n + 1) == 0) {
      throw new IllegalStateException("the plan is closed; make another");
    }
    try {
      executeOpen(in, inOffset, out, outOffset, workspace);
    } finally {
      release();
    }
  }

  private void executeOpen(
      MemorySegment in, long inOffset, MemorySegment out, long outOffset, MemorySegment workspace) {
    long input = HostMemory.address(in, inOffset, spec.inBytes(), "the input");
    long output = HostMemory.address(out, outOffset, spec.outBytes(), "the output");
    long scratch = HostMemory.address(workspace, 0, workspaceBytes(), "the workspace");
    Arguments.writable(out, "the output");
    if (workspaceBytes() > 0) {
      Arguments.writable(workspace, "the workspace");
    }
    try {
      if (executor == null || slots == 1) {
        for (long block = 0; block < blocks(); block++) {
          run(block, input, output, scratch);
        }
      } else {
        Execution execution = take();
        execution.input = input;
        execution.output = output;
        execution.scratch = scratch;
        executor.parallelFor(0, slots, 1, execution);
        synchronized (idle) {
          idle.push(execution);
        }
      }
    } finally {
      Reference.reachabilityFence(in);
      Reference.reachabilityFence(out);
      Reference.reachabilityFence(workspace);
    }
  }

  private Execution take() {
    synchronized (idle) {
      Execution execution = idle.poll();
      return execution == null ? new Execution() : execution;
    }
  }

  private void run(long index, long input, long output, long scratch) {
    long plane = index / blocksPerPlane;
    long line = index % blocksPerPlane * width;
    long lines = Math.min(width, spec.lines() - line);
    long source = input + spec.inType().bytes(plane * spec.inPlane() + line * spec.inDistance());
    long target =
        output + spec.outType().bytes(plane * spec.outPlane() + line * spec.outDistance());
    long from = gathers ? scratch : source;
    long to = scatters ? scratch + (inPlaceInBlock() ? 0 : gathered) : target;
    if (gathers) {
      int size = spec.inType().size();
      copy(source, spec.inStride() * size, from, width * size, spec.inPoints(), lines * size);
    }
    int which =
        (input == output && !scatters ? IN_PLACE : 0)
            | ((from | to) % 16 == 0 ? 0 : UNALIGNED)
            | (lines == width ? 0 : SHORT);
    library.execute(spec.kind(), plan(which), from, to);
    if (spec.scale() != 1) {
      scale(to, lines);
    }
    if (scatters) {
      int size = spec.outType().size();
      copy(to, width * size, target, spec.outStride() * size, spec.outPoints(), lines * size);
    }
  }

  private static void copy(long from, long fromRow, long to, long toRow, long rows, long bytes) {
    for (long row = 0; row < rows; row++) {
      MemorySegment.copy(MEMORY, from + row * fromRow, MEMORY, to + row * toRow, bytes);
    }
  }

  /** Scales what is in a block, or in the output, going through memory in its order. */
  private void scale(long target, long lines) {
    long parts = spec.kind().complexOutput() ? 2 : 1;
    long stride = scatters ? width : spec.outStride();
    long distance = scatters ? 1 : spec.outDistance();
    boolean beside = distance < stride;
    long outer = beside ? spec.outPoints() : lines;
    long inner = beside ? lines : spec.outPoints();
    long outerStep = beside ? stride : distance;
    long innerStep = beside ? distance : stride;
    int size = spec.outType().size();
    for (long i = 0; i < outer; i++) {
      long row = target + i * outerStep * size;
      if (innerStep == 1) {
        scaleRun(row, inner * parts);
      } else {
        for (long j = 0; j < inner; j++) {
          scaleRun(row + j * innerStep * size, parts);
        }
      }
    }
  }

  private void scaleRun(long address, long count) {
    if (spec.precision() == DType.F64) {
      double factor = spec.scale();
      for (long at = address; at < address + count * Double.BYTES; at += Double.BYTES) {
        MEMORY.set(JAVA_DOUBLE_UNALIGNED, at, factor * MEMORY.get(JAVA_DOUBLE_UNALIGNED, at));
      }
    } else {
      float factor = (float) spec.scale();
      for (long at = address; at < address + count * Float.BYTES; at += Float.BYTES) {
        MEMORY.set(JAVA_FLOAT_UNALIGNED, at, factor * MEMORY.get(JAVA_FLOAT_UNALIGNED, at));
      }
    }
  }

  /** Closes this; plans that are being executed are freed when that has ended. */
  @Override
  public void close() {
    if (!closed.getAndSet(true)) {
      release();
    }
  }

  private void release() {
    if (users.decrementAndGet() == 0) {
      synchronized (plans) {
        for (long plan : plans) {
          if (plan != 0) {
            library.destroy(plan);
          }
        }
      }
    }
  }

  /** One execution on several threads: each slot takes an equal share of the blocks. */
  private final class Execution implements RangeBody {
    private long input;
    private long output;
    private long scratch;

    @Override
    public void run(long begin, long end) {
      for (long slot = begin; slot < end; slot++) {
        long last = blocks() * (slot + 1) / slots;
        for (long block = blocks() * slot / slots; block < last; block++) {
          FftwPlan.this.run(block, input, output, scratch + slot * slotBytes);
        }
      }
    }
  }
}
