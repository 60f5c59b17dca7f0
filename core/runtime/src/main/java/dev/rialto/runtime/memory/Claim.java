package dev.rialto.runtime.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Something that one thread at a time looks at and changes, for the time of a few stores.
 *
 * <p>A claim is a compare-and-set that fails only if another thread has the claim at this moment;
 * then it is tried again.
 */
public abstract class Claim {
  private static final VarHandle CLAIMED;

  static {
    try {
      CLAIMED = MethodHandles.lookup().findVarHandle(Claim.class, "claimed", int.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  @SuppressWarnings("unused") // through CLAIMED
  private int claimed;

  Claim() {}

  /** Waits until this is the caller's to look at and change. */
  public final void claim() {
    for (int spins = 0; !CLAIMED.compareAndSet(this, 0, 1); spins++) {
      if (spins < 100) {
        Thread.onSpinWait();
      } else {
        Thread.yield();
      }
    }
  }

  /** Lets go of a claim. */
  public final void unclaim() {
    CLAIMED.setRelease(this, 0);
  }
}
