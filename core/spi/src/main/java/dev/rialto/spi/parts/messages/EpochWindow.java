package dev.rialto.spi.parts.messages;

import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.Window;
import dev.rialto.system.HostMemory;
import java.lang.foreign.MemorySegment;

/**
 * A window whose epochs follow the rules of {@link WindowEpoch}: the calls that open and end them
 * are checked here, and done by the backend. What is done before an epoch is open may wait; if it
 * throws, none is.
 */
public abstract class EpochWindow implements Window {
  /** The epochs that this rank has open. */
  protected final WindowEpoch epoch;

  private final int ranks;

  /** Makes a window of so many ranks, with a name for messages. */
  protected EpochWindow(String name, int ranks) {
    this.epoch = new WindowEpoch(name, ranks);
    this.ranks = ranks;
  }

  /** Checks that a call that opens an epoch, or completes what is in one, can take place at all. */
  protected void checkUsable() {}

  /** Checks that a call that ends an epoch can take place at all. */
  protected void checkEnding() {}

  /** Checks that this rank's memory is there when others are let in. */
  protected void checkMemory(String call) {}

  /** Checks that memory can be attached to this window, or detached, if that is dynamic. */
  protected final void checkDynamic(String call, boolean dynamic, MemorySegment changed) {
    epoch.checkOpen(call);
    if (!dynamic) {
      throw new UnsupportedOperationException(
          call + " is for dynamic windows; make one with dynamicWindow");
    }
    HostMemory.requireNative(changed, "memory of a dynamic window");
  }

  /** Meets all ranks, when what each of them has begun is complete. */
  protected abstract void meet();

  /** Waits for a target's lock. */
  protected abstract void acquire(int target, LockMode mode);

  /** Completes what was begun to a target and lets its lock go. */
  protected abstract void release(int target, LockMode mode);

  /** Waits for shared locks of all ranks, or holds none. */
  protected abstract void acquireAll();

  /** Completes what was begun and lets the locks of all ranks go. */
  protected abstract void releaseAll();

  /** Completes what was begun to a target, or to all for -1. */
  protected abstract void completeAccesses(int target);

  /** Lets ranks in. */
  protected abstract void admit(int[] origins);

  /** Waits until ranks have let this one in. */
  protected abstract void enter(int[] targets);

  /** Completes what was begun to ranks, and tells them. */
  protected abstract void leave(int[] targets);

  /** Waits until ranks that were let in have left. */
  protected abstract void awaitLeft(int[] origins);

  @Override
  public final void fence() {
    checkUsable();
    checkMemory("fence");
    epoch.fence();
    meet();
  }

  @Override
  public final void lock(int target, LockMode mode) {
    checkTarget(target);
    epoch.checkLock(target);
    acquire(target, mode);
    epoch.locked(target, mode);
  }

  @Override
  public final void unlock(int target) {
    Arguments.rank(target, ranks, "target");
    checkEnding();
    release(target, epoch.unlock(target));
  }

  @Override
  public final void lockAll() {
    checkUsable();
    epoch.checkLockAll();
    acquireAll();
    epoch.lockedAll();
  }

  @Override
  public final void unlockAll() {
    checkEnding();
    epoch.unlockAll();
    releaseAll();
  }

  @Override
  public final void flush(int target) {
    checkTarget(target);
    epoch.flush("flush", target);
    completeAccesses(target);
  }

  @Override
  public final void flushAll() {
    checkUsable();
    epoch.flush("flushAll", -1);
    completeAccesses(-1);
  }

  private void checkTarget(int target) {
    Arguments.rank(target, ranks, "target");
    checkUsable();
  }

  @Override
  public final void post(int... origins) {
    int[] listed = checkRanks("post", origins);
    checkMemory("post");
    epoch.post(listed);
    admit(listed);
  }

  @Override
  public final void start(int... targets) {
    int[] listed = checkRanks("start", targets);
    epoch.checkStart();
    enter(listed);
    epoch.started(listed);
  }

  private int[] checkRanks(String call, int[] listed) {
    Arguments.distinctRanks(listed, ranks, call);
    checkUsable();
    return listed.clone();
  }

  @Override
  public final void complete() {
    checkEnding();
    leave(epoch.complete());
  }

  @Override
  public final void await() {
    checkEnding();
    awaitLeft(epoch.posted());
    epoch.awaited();
  }
}
