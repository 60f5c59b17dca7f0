package dev.rialto.spi.parts.messages;

import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.copy.StridedCopy;
import dev.rialto.spi.data.Layout;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A receive whose message is unpacked into a layout when its completion is seen. */
final class UnpackedReceive implements Request {
  private final Request receive;
  private final MemorySegment packed;
  private final MemorySegment buffer;
  private final Layout layout;
  private boolean unpacked;
  private @Nullable RuntimeException failure;

  UnpackedReceive(Request receive, MemorySegment packed, MemorySegment buffer, Layout layout) {
    this.receive = receive;
    this.packed = packed;
    this.buffer = buffer;
    this.layout = layout;
  }

  @Override
  public boolean test() {
    if (!receive.test()) {
      return false;
    }
    try {
      var _ = await();
    } catch (RuntimeException e) {
      failure = e;
    }
    return true;
  }

  @Override
  public Status await() {
    return unpack(receive.await());
  }

  @Override
  public Status await(Duration limit) {
    return unpack(receive.await(limit));
  }

  private Status unpack(Status status) {
    if (!unpacked && !status.cancelled()) {
      unpacked = true;
      try {
        copy(status.bytes());
      } catch (RuntimeException e) {
        failure = e;
      }
    }
    if (failure != null) {
      throw failure;
    }
    return status;
  }

  private void copy(long bytes) {
    Layout all = Layout.contiguous(layout.type(), layout.count());
    if (bytes == all.bytes()) {
      StridedCopy.of(all, layout).run(packed, buffer);
      return;
    }
    StridedCopy.of(all, layout)
        .forEachPiece(
            (from, to, length) -> {
              long part = Math.min(length, bytes - from);
              if (part > 0) {
                MemorySegment.copy(packed, from, buffer, to, part);
              }
            });
  }

  @Override
  public boolean cancel() {
    return receive.cancel();
  }

  @Override
  public void close() {
    receive.close();
  }
}
