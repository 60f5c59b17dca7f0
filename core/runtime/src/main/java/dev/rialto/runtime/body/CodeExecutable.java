package dev.rialto.runtime.body;

import dev.rialto.spi.code.Code;
import dev.rialto.spi.exec.Executor.RangeBody;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.kernel.Executable;
import dev.rialto.spi.kernel.LoweredKernel;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A kernel of compiled code that a device launches on its streams. The code is bound to the buffers
 * and the stream of a launch when it first sees them, so running a prepared one again binds
 * nothing.
 */
public final class CodeExecutable implements Executable {
  private record Bound(List<MemorySegment> buffers, Stream stream, RangeBody body) {}

  private final LoweredKernel kernel;
  private final Code code;
  private final int procedure;
  private volatile @Nullable Bound latest;

  public CodeExecutable(LoweredKernel kernel, Code code, int procedure) {
    this.kernel = kernel;
    this.code = code;
    this.procedure = procedure;
  }

  @Override
  public LoweredKernel kernel() {
    return kernel;
  }

  // Lists of the same buffers are other launches; comparing their elements would take longer.
  @SuppressWarnings("ReferenceEquality")
  @Override
  public void launch(long items, List<MemorySegment> buffers, Stream stream) {
    Bound bound = latest;
    if (bound == null || bound.buffers() != buffers || bound.stream() != stream) {
      bound = new Bound(buffers, stream, code.bind(procedure, buffers, stream));
      latest = bound;
    }
    bound.body().run(0, items);
  }

  /** The code is the caller's. */
  @Override
  public void close() {}
}
