package dev.rialto.jit.run;

import dev.rialto.runtime.ComputeStream;
import dev.rialto.runtime.Work;
import dev.rialto.spi.code.Code;
import dev.rialto.spi.code.Procedure;
import dev.rialto.spi.exec.Executor;
import dev.rialto.spi.exec.Executor.RangeBody;
import java.lang.foreign.MemorySegment;
import java.util.List;

/**
 * Nodes live in the device's memory, and a step adds copies and launches to its stream in the
 * caller's thread: nothing is handed to a thread, so a launch costs what the device's driver takes.
 */
final class DevicePlace implements Place {
  private final ComputeStream stream;
  private final boolean sync;

  DevicePlace(ComputeStream stream, boolean sync) {
    this.stream = stream;
    this.sync = sync;
  }

  /** An exception of a step is thrown when the device is awaited, like one of the device itself. */
  @Override
  public void inOrder(Work work, Runnable step) {
    work.add(
        () -> {
          try {
            step.run();
          } catch (RuntimeException e) {
            work.stream()
                .run(
                    () -> {
                      throw e;
                    });
          }
        });
    if (sync) {
      stream.sync();
    }
  }

  /** A step is added while no other thread can add one, or wait for the stream. */
  @Override
  public void settle() {}

  @Override
  public void copy(MemorySegment from, MemorySegment to, long bytes, Work work) {
    stream.device().spi().transfer().copyAsync(from, to, bytes, work.stream());
  }

  @Override
  public RangeBody bind(Code code, int procedure, List<MemorySegment> buffers, Work work) {
    return code.bind(procedure, buffers, work.stream());
  }

  @Override
  public void run(Procedure procedure, RangeBody body, Executor executor) {
    body.run(0, procedure.items());
  }
}
