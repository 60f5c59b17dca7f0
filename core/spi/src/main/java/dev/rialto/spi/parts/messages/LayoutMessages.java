package dev.rialto.spi.parts.messages;

import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.copy.StridedCopy;
import dev.rialto.spi.data.Layout;
import dev.rialto.system.HostMemory;
import java.lang.foreign.MemorySegment;

/**
 * Messages of elements that do not lie together, for a communicator that only sends those that do:
 * they are packed before they are sent, and unpacked by the rank that completes a receive. Each end
 * costs a copy and memory for the message.
 */
public final class LayoutMessages {
  private final PointToPoint messages;

  /**
   * Makes the messages of a communicator.
   *
   * @param messages its own, non-blocking ones of elements that lie together
   */
  public LayoutMessages(PointToPoint messages) {
    this.messages = messages;
  }

  /** Begins a send; see {@link PointToPoint#isend(MemorySegment, Layout, int, int)}. */
  public Request isend(MemorySegment buffer, Layout layout, int target, int tag) {
    checkSent(buffer, layout);
    MemorySegment packed = buffer;
    if (!layout.isContiguous()) {
      packed = MessageCollectives.room(messages, layout.bytes());
      StridedCopy.of(layout, Layout.contiguous(layout.type(), layout.count())).run(buffer, packed);
    }
    return messages.isend(packed, layout.type(), layout.count(), target, tag);
  }

  /** Begins a receive; see {@link PointToPoint#ireceive(MemorySegment, Layout, int, int)}. */
  public Request ireceive(MemorySegment buffer, Layout layout, int source, int tag) {
    checkReceived(buffer, layout);
    if (layout.isContiguous()) {
      return messages.ireceive(buffer, layout.type(), layout.count(), source, tag);
    }
    MemorySegment packed = MessageCollectives.room(messages, layout.bytes());
    return new UnpackedReceive(
        messages.ireceive(packed, layout.type(), layout.count(), source, tag),
        packed,
        buffer,
        layout);
  }

  /** Describes a send; see {@link PointToPoint#persistentSend(MemorySegment, Layout, int, int)}. */
  public PersistentRequest persistentSend(
      MemorySegment buffer, Layout layout, int target, int tag) {
    checkSent(buffer, layout);
    return new RepeatedRequest(
        "a send to rank " + target, () -> isend(buffer, layout, target, tag));
  }

  /**
   * Describes a receive; see {@link PointToPoint#persistentReceive(MemorySegment, Layout, int,
   * int)}.
   */
  public PersistentRequest persistentReceive(
      MemorySegment buffer, Layout layout, int source, int tag) {
    checkReceived(buffer, layout);
    return new RepeatedRequest(
        "a receive from rank " + source, () -> ireceive(buffer, layout, source, tag));
  }

  private static void checkSent(MemorySegment buffer, Layout layout) {
    Arguments.buffer(buffer, layout, "send buffer");
    HostMemory.requireReadable(buffer, layout.span(), "send buffer");
  }

  private static void checkReceived(MemorySegment buffer, Layout layout) {
    Arguments.buffer(buffer, layout, "receive buffer");
    HostMemory.requireWritable(buffer, layout.span(), "receive buffer");
  }
}
