package dev.rialto.local.message;

import dev.rialto.local.memory.BufferChecks;
import dev.rialto.spi.comm.PointToPoint.Message;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

/** A message that a matched probe took: it has left its queue, and its sender waits for it. */
final class LocalMessage implements Message {
  private final LocalMessages messages;
  private final Mailbox.Found found;
  private final AtomicBoolean received = new AtomicBoolean();

  LocalMessage(LocalMessages messages, Mailbox.Found found) {
    this.messages = messages;
    this.found = found;
  }

  @Override
  public Status status() {
    return found.status();
  }

  @Override
  public Status receive(MemorySegment buffer, DType type, long count) {
    messages.member.checkOpen();
    long bytes = BufferChecks.writable(buffer, type, count, "receive buffer");
    if (!received.compareAndSet(false, true)) {
      throw new IllegalStateException("the message was received before; probe for another");
    }
    Receive receive = new Receive(messages, false).from(status().source(), status().tag());
    return receive.into(buffer, type, bytes).take(found);
  }
}
