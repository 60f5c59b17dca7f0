package dev.rialto.local;

/** Something begun on a communicator that has an end to wait for. */
interface Pending {
  /** Returns whether a communicator should not be closed before it. */
  boolean isOpen();

  /** Ends it because the rank's body, and with it maybe its buffers, is gone. */
  void abandon();
}
