package dev.rialto.spi.parts;

import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.copy.StridedCopy;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.exec.Stream;
import dev.rialto.spi.memory.MemorySpace;
import dev.rialto.spi.memory.MemoryTransfer;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Copies within the memory of devices, and between it and the host's: checked here, and added to
 * the stream where the device can copy alone. The rest is host code on the stream.
 *
 * @param <S> the streams of the driver
 */
public abstract class DeviceTransfer<S extends DeviceStream> implements MemoryTransfer {
  private final Function<Stream, S> streams;

  /**
   * Makes one.
   *
   * @param streams the driver's stream behind one that a caller passes
   */
  protected DeviceTransfer(Function<Stream, S> streams) {
    this.streams = streams;
  }

  /** Returns whether this can copy from and to a memory space. */
  protected abstract boolean reaches(MemorySpace space);

  /** Checks that memory, which is not freed, has room for a layout. */
  protected abstract void requireRoom(MemorySegment segment, Layout layout, String role);

  /** Returns whether two segments are in one memory, so that they may overlap. */
  protected abstract boolean areInOneMemory(MemorySegment first, MemorySegment second);

  /** Copies bytes, and waits. */
  protected abstract void move(MemorySegment source, MemorySegment target, long bytes);

  /** Copies from layout to layout, and waits. */
  protected abstract void move(MemorySegment source, Layout from, MemorySegment target, Layout to);

  /** Returns the work of copying bytes by the stream's device alone; null if it cannot. */
  protected abstract DeviceStream.@Nullable Work byDevice(
      S stream, MemorySegment source, MemorySegment target, long bytes);

  /** Returns the work of copying boxes by the stream's device alone; null if it cannot. */
  protected abstract DeviceStream.@Nullable Work byDevice(
      S stream, MemorySegment source, Layout from, MemorySegment target, Layout to);

  /** Checks that memory is not freed and has room for a layout. */
  protected final void check(MemorySegment segment, Layout layout, String role) {
    StridedCopy.requireAlive(segment);
    requireRoom(segment, layout, role);
  }

  private void check(MemorySegment source, MemorySegment target, long bytes) {
    Layout all = StridedCopy.bytes(bytes);
    check(source, all, "source");
    check(target, all, "target");
    Arguments.writable(target, "target");
  }

  private void check(MemorySegment source, Layout from, MemorySegment target, Layout to) {
    StridedCopy.requireAlike(from, to);
    check(source, from, "source");
    check(target, to, "target");
    Arguments.writable(target, "target");
    if (areInOneMemory(source, target)) {
      StridedCopy.requireApart(source, from, target, to);
    }
  }

  @Override
  public final boolean supports(MemorySpace source, MemorySpace target) {
    return reaches(source) && reaches(target);
  }

  @Override
  public final void copy(MemorySegment source, MemorySegment target, long bytes) {
    check(source, target, bytes);
    move(source, target, bytes);
  }

  @Override
  public final void copy(MemorySegment source, Layout from, MemorySegment target, Layout to) {
    check(source, from, target, to);
    move(source, from, target, to);
  }

  @Override
  public final void copyAsync(
      MemorySegment source, MemorySegment target, long bytes, Stream stream) {
    S own = streams.apply(stream);
    check(source, target, bytes);
    if (bytes > 0) {
      DeviceStream.Work work = byDevice(own, source, target, bytes);
      if (work == null) {
        stream.run(() -> move(source, target, bytes));
      } else {
        own.submit(DeviceStream.label(stream), work);
      }
    }
  }

  @Override
  public final void copyAsync(
      MemorySegment source, Layout from, MemorySegment target, Layout to, Stream stream) {
    S own = streams.apply(stream);
    check(source, from, target, to);
    if (from.count() > 0) {
      boolean boxes = !(from instanceof Layout.Indexed) && !(to instanceof Layout.Indexed);
      DeviceStream.Work work = boxes ? byDevice(own, source, from, target, to) : null;
      if (work == null) {
        stream.run(() -> move(source, from, target, to));
      } else {
        own.submit(DeviceStream.label(stream), work);
      }
    }
  }
}
