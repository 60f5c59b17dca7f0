package dev.rialto.local.collective;

import dev.rialto.spi.comm.PersistentRequest;

/** A collective that is begun again and again. */
final class PersistentCollective extends CollectiveRequest implements PersistentRequest {
  private boolean closed;

  PersistentCollective(CollectiveQueue queue) {
    super(queue);
  }

  @Override
  public void start() {
    if (closed || super.isOpen()) {
      throw new IllegalStateException(
          this + (closed ? " is closed; describe it again" : " is active; await it first"));
    }
    queue.member.checkOpen();
    begin();
  }

  /** It may be started again, with the same buffers. */
  @Override
  void ended() {}

  @Override
  public boolean isOpen() {
    return !closed;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      super.close();
      super.ended();
    }
  }
}
