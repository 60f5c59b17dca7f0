package dev.rialto.cpu;

import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.copy.StridedCopy;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.spi.memory.MemoryTransfer;
import java.lang.foreign.MemorySegment;

/** Copies between memories that the host can access, its own heap among them. */
final class HostTransfer implements MemoryTransfer {
  @Override
  public boolean supports(MemorySpace source, MemorySpace target) {
    return source.properties().hostAccessible() && target.properties().hostAccessible();
  }

  @Override
  public void copy(MemorySegment source, MemorySegment target, long bytes) {
    check(source, target, bytes);
    MemorySegment.copy(source, 0, target, 0, bytes);
  }

  @Override
  public void copy(MemorySegment source, Layout from, MemorySegment target, Layout to) {
    check(source, from, target, to);
    StridedCopy.of(from, to).run(source, target);
  }

  @Override
  public void copyAsync(MemorySegment source, MemorySegment target, long bytes, Stream stream) {
    check(source, target, bytes);
    HostStream.require(stream).run(() -> MemorySegment.copy(source, 0, target, 0, bytes));
  }

  @Override
  public void copyAsync(
      MemorySegment source, Layout from, MemorySegment target, Layout to, Stream stream) {
    check(source, from, target, to);
    HostStream.require(stream).run(() -> StridedCopy.of(from, to).run(source, target));
  }

  private static void check(MemorySegment source, MemorySegment target, long bytes) {
    if (bytes < 0) {
      throw new IllegalArgumentException(bytes + " bytes cannot be copied; give 0 or more");
    }
    Arguments.buffer(source, DType.I8, bytes, "source");
    Arguments.buffer(target, DType.I8, bytes, "target");
    Arguments.writable(target, "target");
  }

  private static void check(MemorySegment source, Layout from, MemorySegment target, Layout to) {
    StridedCopy.requireAlike(from, to);
    Arguments.buffer(source, from, "source");
    Arguments.buffer(target, to, "target");
    Arguments.writable(target, "target");
    // Before the question of overlap: closed memory may have a new owner, the other segment even.
    StridedCopy.requireAlive(source);
    StridedCopy.requireAlive(target);
    StridedCopy.requireApart(source, from, target, to);
  }
}
