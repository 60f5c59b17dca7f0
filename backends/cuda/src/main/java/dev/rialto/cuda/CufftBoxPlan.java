package dev.rialto.cuda;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import dev.rialto.cuda.driver.Cufft;
import dev.rialto.cuda.driver.Driver;
import dev.rialto.cuda.driver.DriverMemory;
import dev.rialto.cuda.driver.DriverStreams;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.fft.FftBox;
import dev.rialto.spi.fft.FftEngine.Work;
import dev.rialto.spi.fft.FftSpec;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Transforms of two or three axes by one cuFFT plan, in memory that the GPU reaches.
 *
 * <p>A plan of cuFFT's is used by one thread and in one stream at a time, so additions to streams
 * take turns, and executions in different streams must not be under way at once. A transform to
 * real numbers destroys its input, so it works on a copy in the workspace; scaling is one more pass
 * over the output.
 */
final class CufftBoxPlan implements Work {
  private static final long ALIGNMENT = 256;

  private final FftBox box;
  private final CudaDevice device;
  private final Cufft library;
  private final long own;
  private final Cufft.Handle handle;
  private final long copyBytes;
  private long lastStream;
  private boolean closed;

  CufftBoxPlan(CudaDevice device, Cufft library, FftBox box) {
    this.box = box;
    this.device = device;
    this.library = library;
    device.context().enter();
    this.own = DriverStreams.createStream(0);
    this.lastStream = own;
    this.handle = library.plan(box, own);
    boolean destroys = box.kind() == FftSpec.Kind.COMPLEX_TO_REAL;
    this.copyBytes = destroys ? (box.inBytes() + ALIGNMENT - 1) & -ALIGNMENT : 0;
  }

  @Override
  public long workspaceBytes() {
    return copyBytes + handle.workBytes();
  }

  private void check(MemorySegment in, MemorySegment out, MemorySegment workspace) {
    if (closed) {
      throw new IllegalStateException("the plan is closed; make another");
    }
    CudaTransfer transfer = device.transfer();
    if (!transfer.isOnGpu(in, box.inBytes(), "in")
        || !transfer.isOnGpu(out, box.outBytes(), "out")
        || !(workspaceBytes() == 0 || transfer.isOnGpu(workspace, workspaceBytes(), "workspace"))) {
      throw new IllegalArgumentException(
          "memory that only the host reaches; give memory of " + device.name());
    }
  }

  @Override
  public void execute(MemorySegment in, MemorySegment out, MemorySegment workspace) {
    check(in, out, workspace);
    device.context().enter();
    add(in.address(), out.address(), workspace.address(), own);
    Driver.check(DriverStreams.synchronize(own), "transforming " + box);
  }

  @Override
  public void execute(MemorySegment in, MemorySegment out, MemorySegment workspace, Stream stream) {
    check(in, out, workspace);
    long from = in.address();
    long to = out.address();
    long work = workspace.address();
    CudaStream.require(stream)
        .submit(CudaStream.label(stream), target -> add(from, to, work, target));
  }

  private synchronized void add(long in, long out, long workspace, long stream) {
    long source = in;
    if (copyBytes > 0) {
      DriverMemory.copy(workspace, source, box.inBytes(), stream);
      source = workspace;
    }
    if (stream != lastStream) {
      library.setStream(handle.handle(), stream);
      lastStream = stream;
    }
    if (handle.workBytes() > 0) {
      library.setWorkArea(handle.handle(), workspace + copyBytes);
    }
    boolean forward =
        box.kind() == FftSpec.Kind.FORWARD || box.kind() == FftSpec.Kind.REAL_TO_COMPLEX;
    library.execute(handle.handle(), source, out, forward ? -1 : 1);
    if (box.scale() != 1) {
      scale(out, stream);
    }
  }

  private void scale(long out, long stream) {
    long numbers = box.outBytes() / box.precision().size();
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment values =
          arena.allocateFrom(
              JAVA_LONG,
              out,
              Double.doubleToRawLongBits(box.scale()),
              numbers,
              1,
              1,
              1,
              1,
              1,
              1,
              box.precision().size());
      MemorySegment[] each = new MemorySegment[10];
      for (int i = 0; i < each.length; i++) {
        each[i] = values.asSlice((long) i * Long.BYTES);
      }
      int block = LoadedKernel.BLOCK;
      device
          .scaleKernel()
          .launch(
              LoadedKernel.blocks(numbers, block),
              block,
              stream,
              LayoutKernel.pointers(arena, each));
    }
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    device.context().enter();
    library.destroy(handle.handle());
    DriverStreams.destroyStream(own);
  }
}
