package dev.rialto.local;

import dev.rialto.spi.comm.PersistentRequest;

/** A collective that is begun again and again. */
final class PersistentCollective extends CollectiveRequest implements PersistentRequest {
  private boolean closed;

  PersistentCollective(CollectiveQueue queue) {
    super(queue);
  }

  @Override
  public void start() {
    if (closed || active()) {
      throw new IllegalStateException(
          this + (closed ? " is closed; describe it again" : " is active; await it first"));
    }
    begin();
  }

  /** The buffers are those of the next start too. */
  @Override
  void ended() {}

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      super.close();
      clear();
    }
  }
}
