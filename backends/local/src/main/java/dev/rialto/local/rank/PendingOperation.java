package dev.rialto.local.rank;

import org.jspecify.annotations.Nullable;

/**
 * An operation under way that needs its rank's help from time to time. While it is {@linkplain
 * Rank#begin begun} and not complete, every wait of the rank advances it, so that no peer depends
 * on when the rank looks at this particular operation again.
 */
public abstract class PendingOperation extends Isolated {
  /** The next of the rank's active operations; guarded by the rank's progress lock. */
  @Nullable PendingOperation next;

  /** Whether it is among them; guarded likewise. */
  boolean linked;

  /**
   * Does what can be done without waiting. Called under the rank's progress lock, so by one thread
   * at a time; must not throw (a failure is the operation's outcome) and must not wait.
   *
   * @return whether the operation is complete; it is not called again then
   */
  public abstract boolean advance();
}
