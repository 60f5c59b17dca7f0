package dev.rialto.example.socket;

import dev.rialto.spi.comm.PointToPoint.Message;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/** A message that a matched probe took out of the mailbox. */
final class TakenMessage implements Message {
  private final Group group;
  private final Frame frame;
  private final AtomicBoolean received = new AtomicBoolean();

  TakenMessage(Group group, Frame frame) {
    this.group = group;
    this.frame = frame;
  }

  @Override
  public Status status() {
    return frame.status();
  }

  @Override
  public Status receive(MemorySegment buffer, DType type, long count) {
    MemorySegment room = SocketMessages.toReceive(buffer, type, count);
    if (received.getAndSet(true)) {
      throw new IllegalStateException(
          "the message from rank " + frame.source() + " was received before; receive it once");
    }
    return Receive.unpack(frame, room, group);
  }
}
