package dev.rialto.spi.fft;

import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Stream;
import java.lang.foreign.MemorySegment;
import java.util.Optional;

/** Makes plans for batched one-dimensional transforms. Thread-safe. */
public interface FftEngine {
  /** Returns a name for messages, such as {@code java} or {@code fftw}. */
  String name();

  /** Returns whether {@link #plan} takes this. */
  boolean supports(FftSpec spec);

  /**
   * Makes a plan that runs on the thread that executes it, owned by the caller. May take long.
   *
   * @throws UnsupportedOperationException if not {@link #supports supported}
   */
  FftPlan plan(FftSpec spec);

  /**
   * Makes a plan whose lines are shared among the threads of an executor, owned by the caller. The
   * executor must stay open as long as the plan is executed. An engine that has its own threads, or
   * none, leaves the executor alone.
   *
   * @throws UnsupportedOperationException if not {@link #supports supported}
   */
  default FftPlan plan(FftSpec spec, Executor executor) {
    return plan(spec);
  }

  /**
   * Makes a plan of several axes at once, owned by the caller, where that is faster than one axis
   * after another.
   *
   * @return the plan; empty if lines are all that this engine has
   */
  default Optional<Work> plan(FftBox box) {
    return Optional.empty();
  }

  /**
   * A transform made ready to be executed many times. Executing allocates nothing.
   *
   * <p>Several threads may execute one plan at the same time, each with a workspace of its own.
   */
  interface Work extends AutoCloseable {
    /** Returns the bytes of workspace an execution needs; may be 0. */
    long workspaceBytes();

    /**
     * Transforms. {@code in} and {@code out} may be the very same memory if their elements are of
     * one size and lie at the same places; otherwise they must not overlap. {@code in} is left
     * unchanged unless it is {@code out}.
     *
     * <p>Engines work with addresses, so the memory must stay alive until this returns: where
     * another thread might free it, call this within {@link dev.rialto.system.HostMemory#holding}.
     *
     * @param workspace memory for intermediate results, aligned to 64 bytes; its content is lost
     * @throws IndexOutOfBoundsException if a segment is too small
     * @throws IllegalStateException if this is closed
     */
    void execute(MemorySegment in, MemorySegment out, MemorySegment workspace);

    /**
     * Transforms in order with a stream's other work, and returns at once. A failure is raised when
     * the stream is synchronized.
     */
    default void execute(
        MemorySegment in, MemorySegment out, MemorySegment workspace, Stream stream) {
      stream.run(() -> execute(in, out, workspace));
    }

    /** Gives the plan back. Closing again does nothing. */
    @Override
    void close();
  }
}
