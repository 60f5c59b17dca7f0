package dev.rialto.cuda;

import dev.rialto.cuda.driver.ArgumentBlock;
import dev.rialto.cuda.driver.CudaContext;
import dev.rialto.cuda.driver.DeviceClock;
import dev.rialto.cuda.driver.DriverStreams;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.parts.DeviceStream;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A CUDA stream, with launches that allocate nothing. */
final class CudaStream extends DeviceStream {
  /** A launch that keeps its kernel until it has gone to the driver. */
  private static final class Launch implements Work {
    private final LoadedKernel kernel;
    private final long begin;
    private final long end;
    private final int each;
    private final List<MemorySegment> buffers;
    private final long[] extra;
    private final ArgumentBlock arguments;

    Launch(
        LoadedKernel kernel,
        long begin,
        long end,
        int each,
        List<MemorySegment> buffers,
        long[] extra,
        ArgumentBlock arguments) {
      this.kernel = kernel;
      this.begin = begin;
      this.end = end;
      this.each = each;
      this.buffers = buffers;
      this.extra = extra;
      this.arguments = arguments;
    }

    @Override
    public void submit(long stream) {
      try {
        kernel.launch(begin, end, each, buffers, extra, stream, arguments);
      } finally {
        kernel.release();
      }
    }

    @Override
    public void skip() {
      kernel.release();
    }
  }

  private final CudaContext context;
  private final long handle;

  /** Used by who has the lock. */
  private final ArgumentBlock arguments;

  private CudaStream(CudaContext context, DeviceClock clock, long handle, ArgumentBlock arguments) {
    super("cuda", context.name(), new CudaQueue(context, clock, handle, arguments));
    this.context = context;
    this.handle = handle;
    this.arguments = arguments;
  }

  static CudaStream open(CudaContext context, DeviceClock clock, int priority) {
    context.enter();
    return new CudaStream(
        context, clock, DriverStreams.createStream(priority), new ArgumentBlock());
  }

  /** Returns the stream behind one that a caller passes, labelled or not. */
  static CudaStream require(Stream stream) {
    return require(CudaStream.class, "cuda", stream);
  }

  CudaContext context() {
    return context;
  }

  /**
   * Adds a launch; allocates nothing unless host code is ahead.
   *
   * @param each how many indices a thread does
   * @param extra what the kernel takes after the range
   */
  void launch(
      @Nullable Object label,
      LoadedKernel kernel,
      long begin,
      long end,
      int each,
      List<MemorySegment> buffers,
      long[] extra) {
    lock();
    try {
      if (needsObject()) {
        kernel.retain();
        submit(label, new Launch(kernel, begin, end, each, List.copyOf(buffers), extra, arguments));
        return;
      }
      long position = begin(label);
      if (position > 0) {
        try {
          kernel.launch(begin, end, each, buffers, extra, handle, arguments);
        } catch (RuntimeException e) {
          fail(label, position, 0, e);
        }
      }
      finish();
    } finally {
      unlock();
    }
  }
}
