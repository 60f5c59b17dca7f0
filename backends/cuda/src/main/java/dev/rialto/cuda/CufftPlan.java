package dev.rialto.cuda;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.cuda.driver.Cufft;
import dev.rialto.cuda.driver.Driver;
import dev.rialto.cuda.driver.DriverMemory;
import dev.rialto.cuda.driver.DriverStreams;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.fft.FftPlan;
import dev.rialto.spi.fft.FftSpec;
import dev.rialto.spi.memory.Allocation;
import dev.rialto.spi.memory.MemorySpace;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Lines that cuFFT transforms: one execution per plane, on a stream of the plan's own.
 *
 * <p>cuFFT's plans belong to one caller at a time, so executions of one plan take turns. A
 * transform to real numbers may destroy its input, so it works on a copy in the workspace. Scaling
 * is a kernel that goes over the output once more. Lines in memory that only the host reaches are
 * brought to the GPU and back, and memory for them is allocated each time.
 */
final class CufftPlan implements FftPlan {
  static final String SCALE =
      """
      template <typename T>
      static __device__ __forceinline__ void scale(
          T *out, double factor, long long points, long long stride, long long lines,
          long long distance, long long planes, long long plane, long long parts) {
        long long threads = (long long)gridDim.x * blockDim.x;
        long long count = parts * points * lines * planes;
        for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < count;
             i += threads) {
          long long part = i % parts, k = i / parts % points, line = i / parts / points % lines;
          long long at = k * stride + line * distance + i / parts / points / lines * plane;
          out[at * parts + part] *= (T)factor;
        }
      }

      extern "C" __global__ void rialto_scale(
          void *out, double factor, long long points, long long stride, long long lines,
          long long distance, long long planes, long long plane, long long parts,
          long long size) {
        if (size == 8)
          scale((double *)out, factor, points, stride, lines, distance, planes, plane, parts);
        else
          scale((float *)out, factor, points, stride, lines, distance, planes, plane, parts);
      }
      """;

  private static final long ALIGNMENT = 256;

  private final FftSpec spec;
  private final CudaDevice device;
  private final Cufft library;
  private final boolean empty;
  private final long stream;
  private final Cufft.Handle handle;
  private final long copyBytes;
  private final Arena arena = Arena.ofShared();
  private final MemorySegment scaleArguments;
  private long lastStream;
  private boolean closed;

  CufftPlan(CudaDevice device, Cufft library, FftSpec spec) {
    this.spec = spec;
    this.device = device;
    this.library = library;
    this.empty = spec.lines() == 0 || spec.planes() == 0;
    this.scaleArguments = scaleArguments();
    device.context().enter();
    if (empty) {
      this.stream = 0;
      this.handle = new Cufft.Handle(0, 0);
      this.copyBytes = 0;
    } else {
      this.stream = DriverStreams.createStream(0);
      this.handle = library.plan(spec, stream);
      this.lastStream = stream;
      boolean destroys = spec.kind() == FftSpec.Kind.COMPLEX_TO_REAL;
      this.copyBytes = destroys ? (spec.inBytes() + ALIGNMENT - 1) & -ALIGNMENT : 0;
    }
  }

  private MemorySegment scaleArguments() {
    MemorySegment values = arena.allocate(JAVA_LONG, 10);
    long[] numbers = {
      0,
      Double.doubleToRawLongBits(spec.scale()),
      spec.outPoints(),
      spec.outStride(),
      spec.lines(),
      spec.outDistance(),
      spec.planes(),
      spec.outPlane(),
      spec.outType().size() / spec.precision().size(),
      spec.precision().size()
    };
    MemorySegment pointers = arena.allocate(ADDRESS, numbers.length);
    for (int i = 0; i < numbers.length; i++) {
      values.setAtIndex(JAVA_LONG, i, numbers[i]);
      pointers.setAtIndex(ADDRESS, i, values.asSlice((long) i * Long.BYTES));
    }
    return pointers;
  }

  @Override
  public FftSpec spec() {
    return spec;
  }

  @Override
  public long workspaceBytes() {
    return copyBytes + handle.workBytes();
  }

  @Override
  public synchronized void execute(MemorySegment in, MemorySegment out, MemorySegment workspace) {
    if (closed) {
      throw new IllegalStateException("the plan is closed; make another");
    }
    if (empty) {
      return;
    }
    CudaTransfer transfer = device.transfer();
    boolean inThere = transfer.isOnGpu(in, spec.inBytes(), "in");
    boolean outThere = transfer.isOnGpu(out, spec.outBytes(), "out");
    boolean workThere =
        workspaceBytes() == 0 || transfer.isOnGpu(workspace, workspaceBytes(), "workspace");
    if (inThere && outThere && workThere) {
      execute(in.address(), out.address(), workspace.address());
    } else {
      bring(in, out);
    }
  }

  @Override
  public void execute(MemorySegment in, MemorySegment out, MemorySegment workspace, Stream target) {
    CudaTransfer transfer = device.transfer();
    if (empty) {
      return;
    }
    if (!transfer.isOnGpu(in, spec.inBytes(), "in")
        || !transfer.isOnGpu(out, spec.outBytes(), "out")
        || !(workspaceBytes() == 0 || transfer.isOnGpu(workspace, workspaceBytes(), "workspace"))) {
      target.run(() -> execute(in, out, workspace));
      return;
    }
    long from = in.address();
    long to = out.address();
    long work = workspace.address();
    CudaStream.require(target)
        .submit(CudaStream.label(target), handle -> add(from, to, work, handle));
  }

  /** Transforms lines of the host: they go to the GPU and come back. */
  private void bring(MemorySegment in, MemorySegment out) {
    boolean inPlace = in.heapBase().equals(out.heapBase()) && in.address() == out.address();
    MemorySpace memory = device.memory();
    CudaTransfer transfer = device.transfer();
    try (Allocation source = memory.allocate(spec.inBytes());
        Allocation target = memory.allocate(inPlace ? 0 : spec.outBytes());
        Allocation work = memory.allocate(workspaceBytes())) {
      MemorySegment result = inPlace ? source.segment() : target.segment();
      transfer.copy(in, source.segment(), spec.inBytes());
      if (!inPlace) {
        // What lies between the lines goes along, and comes back as it was.
        transfer.copy(out, result, spec.outBytes());
      }
      execute(source.segment().address(), result.address(), work.segment().address());
      transfer.copy(result, out, spec.outBytes());
    }
  }

  private void execute(long in, long out, long workspace) {
    device.context().enter();
    add(in, out, workspace, stream);
    Driver.check(DriverStreams.synchronize(stream), "transforming " + spec);
  }

  /** Adds an execution to a driver's stream. */
  private synchronized void add(long in, long out, long workspace, long target) {
    if (closed) {
      throw new IllegalStateException("the plan is closed; make another");
    }
    if (target != lastStream) {
      library.setStream(handle.handle(), target);
      lastStream = target;
    }
    long source = in;
    if (copyBytes > 0) {
      DriverMemory.copy(workspace, source, spec.inBytes(), target);
      source = workspace;
    }
    if (handle.workBytes() > 0) {
      library.setWorkArea(handle.handle(), workspace + copyBytes);
    }
    int direction =
        switch (spec.kind()) {
          case FORWARD, REAL_TO_COMPLEX -> -1;
          default -> 1;
        };
    for (long plane = 0; plane < spec.planes(); plane++) {
      library.execute(
          handle.handle(),
          source + plane * spec.inPlane() * spec.inType().size(),
          out + plane * spec.outPlane() * spec.outType().size(),
          direction);
    }
    if (spec.scale() != 1) {
      scale(out, target);
    }
  }

  @SuppressWarnings("restricted")
  private void scale(long out, long target) {
    scaleArguments.get(ADDRESS, 0).reinterpret(Long.BYTES).set(JAVA_LONG, 0, out);
    long parts = spec.outType().size() / spec.precision().size();
    long items = parts * spec.outPoints() * spec.lines() * spec.planes();
    int block = LoadedKernel.BLOCK;
    device.scaleKernel().launch(LoadedKernel.blocks(items, block), block, target, scaleArguments);
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    arena.close();
    if (!empty) {
      device.context().enter();
      library.destroy(handle.handle());
      DriverStreams.destroyStream(stream);
    }
  }
}
