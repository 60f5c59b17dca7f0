package dev.rialto.cpu.fft;

import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Executor.RangeBody;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import dev.rialto.system.HostMemory;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Executes a transform's groups: in a loop, or on the threads of an executor. */
final class JavaFftPlan implements FftPlan {
  private final FftSpec spec;
  private final GroupTransform transform;
  private final @Nullable Executor executor;
  private final int slots;
  private final long slotBytes;
  private final long inBytes;
  private final long outBytes;

  /** Executions that ended, for the next ones: making one each time would be garbage. */
  private final ArrayDeque<Execution> idle = new ArrayDeque<>();

  private volatile boolean closed;

  JavaFftPlan(FftSpec spec, Codelets codelets, @Nullable Executor executor) {
    this.spec = spec;
    this.executor = executor;
    this.transform = new GroupTransform(inLanes(spec), codelets);
    this.slots =
        executor == null
            ? 1
            : (int) Math.max(1, Math.min(executor.parallelism(), transform.groups()));
    this.slotBytes = transform.scratchBytes();
    this.inBytes = spec.inBytes();
    this.outBytes = spec.outBytes();
  }

  /** Exchanges lines and planes where there are more planes, and makes one of two where it can. */
  private static FftSpec inLanes(FftSpec spec) {
    if (spec.planes() == 1) {
      return spec;
    }
    boolean merge =
        spec.inPlane() == spec.lines() * spec.inDistance()
            && spec.outPlane() == spec.lines() * spec.outDistance();
    if (merge) {
      return lanes(spec, spec.lines() * spec.planes(), spec.inDistance(), spec.outDistance())
          .withPlanes(1, 1, 1);
    }
    boolean beside = spec.lines() > 1 && spec.inDistance() == 1 && spec.outDistance() == 1;
    boolean planesBeside = spec.inPlane() == 1 && spec.outPlane() == 1;
    if (planesBeside || (!beside && spec.planes() > spec.lines())) {
      return lanes(spec, spec.planes(), spec.inPlane(), spec.outPlane())
          .withPlanes(spec.lines(), spec.inDistance(), spec.outDistance());
    }
    return spec;
  }

  private static FftSpec lanes(FftSpec spec, long lines, long inDistance, long outDistance) {
    return new FftSpec(
            spec.kind(),
            spec.precision(),
            spec.length(),
            lines,
            spec.inStride(),
            inDistance,
            spec.outStride(),
            outDistance)
        .withScale(spec.scale());
  }

  @Override
  public FftSpec spec() {
    return spec;
  }

  @Override
  public long workspaceBytes() {
    return transform.groups() == 0 ? 0 : slots * slotBytes;
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
    long input = HostMemory.address(in, inOffset, inBytes, "the input");
    long output = HostMemory.address(out, outOffset, outBytes, "the output");
    long scratch = HostMemory.address(workspace, 0, workspaceBytes(), "the workspace");
    Arguments.writable(out, "the output");
    if (workspaceBytes() > 0) {
      Arguments.writable(workspace, "the workspace");
    }
    try {
      if (executor == null || slots == 1) {
        for (long group = 0; group < transform.groups(); group++) {
          transform.run(group, input, output, scratch);
        }
      } else {
        Execution execution = take();
        execution.run(executor, input, output, scratch);
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

  @Override
  public void close() {
    closed = true;
  }

  /** One execution on several threads: each slot takes the next group until none is left. */
  private final class Execution implements RangeBody {
    private final AtomicLong next = new AtomicLong();
    private long input;
    private long output;
    private long scratch;

    void run(Executor on, long in, long out, long work) {
      next.set(0);
      input = in;
      output = out;
      scratch = work;
      on.parallelFor(0, slots, 1, this);
    }

    @Override
    public void run(long begin, long end) {
      for (long slot = begin; slot < end; slot++) {
        long mine = scratch + slot * slotBytes;
        for (long group = next.getAndIncrement();
            group < transform.groups();
            group = next.getAndIncrement()) {
          transform.run(group, input, output, mine);
        }
      }
    }
  }
}
