package dev.rialto.fftw;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE_UNALIGNED;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT_UNALIGNED;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.RangeBody;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * A plan of FFTW per shape of work: lines are cut into chunks, one for each thread and plane, and
 * the last chunk of a plane may be shorter.
 *
 * <p>FFTW's plans are made for in place or not, and for aligned memory or any; using one for the
 * other is an error that it does not notice. So there is one for each, the rarer ones made when
 * first needed. Results are scaled chunk by chunk while they are in the cache.
 */
final class FftwPlan implements FftPlan {
  @SuppressWarnings("restricted")
  private static final MemorySegment MEMORY = MemorySegment.NULL.reinterpret(Long.MAX_VALUE);

  private static final int IN_PLACE = 1;
  private static final int UNALIGNED = 2;
  private static final int SHORT = 4;

  private final FftSpec spec;
  private final Library library;
  private final @Nullable Executor executor;
  private final long chunk;
  private final long chunksPerPlane;

  /** Native plans by the sum of the constants above; 0 is none. */
  private final long[] plans = new long[8];

  private final ArrayDeque<Execution> idle = new ArrayDeque<>();
  private volatile boolean closed;

  FftwPlan(FftSpec spec, Library library, @Nullable Executor executor) {
    this.spec = spec;
    this.library = library;
    this.executor = executor;
    int threads = executor == null ? 1 : executor.parallelism();
    long parts = Math.ceilDiv(threads, Math.max(1, spec.planes()));
    this.chunk = Math.max(1, Math.ceilDiv(spec.lines(), parts));
    this.chunksPerPlane = Math.ceilDiv(spec.lines(), chunk);
    if (chunks() > 0) {
      var _ = plan(0);
      if (spec.lines() % chunk != 0) {
        var _ = plan(SHORT);
      }
    }
  }

  private long chunks() {
    return spec.planes() * chunksPerPlane;
  }

  @Override
  public FftSpec spec() {
    return spec;
  }

  @Override
  public long workspaceBytes() {
    return 0;
  }

  private long plan(int which) {
    synchronized (plans) {
      if (plans[which] == 0) {
        long lines = (which & SHORT) == 0 ? chunk : spec.lines() % chunk;
        FftSpec one =
            new FftSpec(
                spec.kind(),
                spec.precision(),
                spec.length(),
                lines,
                spec.inStride(),
                spec.inDistance(),
                spec.outStride(),
                spec.outDistance());
        // Measuring overwrites what it measures on, so never the caller's memory.
        try (Arena arena = Arena.ofConfined()) {
          MemorySegment in = arena.allocate(one.inBytes(), 64);
          MemorySegment out = (which & IN_PLACE) == 0 ? arena.allocate(one.outBytes(), 64) : in;
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
    if (closed) {
      throw new IllegalStateException("the plan is closed; make another");
    }
    long input = address(in, inOffset, spec.inBytes(), "input");
    long output = address(out, outOffset, spec.outBytes(), "output");
    try {
      if (executor == null || chunks() < 2) {
        for (long i = 0; i < chunks(); i++) {
          run(i, input, output);
        }
      } else {
        Execution execution = take();
        execution.input = input;
        execution.output = output;
        executor.parallelFor(0, chunks(), 1, execution);
        synchronized (idle) {
          idle.push(execution);
        }
      }
    } finally {
      Reference.reachabilityFence(in);
      Reference.reachabilityFence(out);
    }
  }

  private static long address(MemorySegment segment, long offset, long bytes, String role) {
    if (offset < 0 || bytes > segment.byteSize() - offset) {
      throw new IndexOutOfBoundsException(
          "the %s has %d bytes, and %d are needed from %d on"
              .formatted(role, segment.byteSize(), bytes, offset));
    }
    if (bytes > 0 && !segment.isNative()) {
      throw new IllegalArgumentException(
          "the " + role + " is on the Java heap; allocate it with an Arena or a memory space");
    }
    if (!segment.scope().isAlive()) {
      throw new IllegalStateException("the memory of the " + role + " was freed");
    }
    return segment.address() + offset;
  }

  private Execution take() {
    synchronized (idle) {
      Execution execution = idle.poll();
      return execution == null ? new Execution() : execution;
    }
  }

  private void run(long index, long input, long output) {
    long plane = index / chunksPerPlane;
    long line = index % chunksPerPlane * chunk;
    long lines = Math.min(chunk, spec.lines() - line);
    long from = spec.inType().bytes(plane * spec.inPlane() + line * spec.inDistance());
    long to = spec.outType().bytes(plane * spec.outPlane() + line * spec.outDistance());
    long source = input + from;
    long target = output + to;
    int which =
        (input == output ? IN_PLACE : 0)
            | ((source | target) % 16 == 0 ? 0 : UNALIGNED)
            | (lines == chunk ? 0 : SHORT);
    library.execute(spec.kind(), plan(which), source, target);
    if (spec.scale() != 1) {
      scale(target, lines);
    }
  }

  private void scale(long target, long lines) {
    long parts = spec.kind().complexOutput() ? 2 : 1;
    boolean beside = spec.outDistance() < spec.outStride();
    long outer = beside ? spec.outPoints() : lines;
    long inner = beside ? lines : spec.outPoints();
    long outerStep = beside ? spec.outStride() : spec.outDistance();
    long innerStep = beside ? spec.outDistance() : spec.outStride();
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

  @Override
  public void close() {
    synchronized (plans) {
      closed = true;
      for (int i = 0; i < plans.length; i++) {
        if (plans[i] != 0) {
          library.destroy(plans[i]);
          plans[i] = 0;
        }
      }
    }
  }

  /** One execution on several threads. */
  private final class Execution implements RangeBody {
    private long input;
    private long output;

    @Override
    public void run(long begin, long end) {
      for (long i = begin; i < end; i++) {
        FftwPlan.this.run(i, input, output);
      }
    }
  }
}
