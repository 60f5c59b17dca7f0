package dev.rialto.local.rank;

/** Something a rank waits for in {@link Rank#await}. */
public interface Wait {
  /**
   * Looks whether the wait is over, and may do work that brings that about. Called again and again
   * by the waiting thread; what it throws ends the wait.
   *
   * <p>A call that does something other ranks see without ending the wait tells {@link
   * Rank#progressed}, or the ranks could be taken for deadlocked.
   */
  public boolean poll();

  /** Says what is waited for, such as {@code receive from rank 1, tag 7 on local/world}. */
  public String describe();

  /**
   * Returns the world rank that alone can end this wait, or -1 if several could. A wait for a rank
   * whose body has returned fails instead of lasting for ever.
   */
  public default int needs() {
    return -1;
  }
}
