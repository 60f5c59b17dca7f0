package dev.rialto.local.message;

/** Something begun on a communicator that has an end to wait for. */
public interface Pending {
  /** Returns whether a communicator should not be closed before it. */
  public boolean isOpen();

  /** Ends it because the rank's body, and with it maybe its buffers, is gone. */
  public void abandon();
}
