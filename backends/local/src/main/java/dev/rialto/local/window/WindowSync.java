package dev.rialto.local.window;

import dev.rialto.local.rank.Wait;
import dev.rialto.local.world.Member;
import dev.rialto.spi.comm.Window.LockMode;
import java.util.concurrent.atomic.AtomicLongArray;

/** One rank's waits for others at the ends of a window's epochs, and theirs for it. */
final class WindowSync {
  private final Member member;
  private final WindowSide[] sides;
  private final String window;

  /** The number of starts with each rank, and of posts to each. */
  private final long[] starts;

  private final long[] posts;

  WindowSync(Member member, WindowSide[] sides, String window) {
    this.member = member;
    this.sides = sides;
    this.window = window;
    this.starts = new long[sides.length];
    this.posts = new long[sides.length];
  }

  /** Waits for a lock that is asked for with a ticket. */
  private final class LockWait implements Wait {
    private final int target;
    private final LockMode mode;
    private final long ticket;

    LockWait(int target, LockMode mode, long ticket) {
      this.target = target;
      this.mode = mode;
      this.ticket = ticket;
    }

    @Override
    public boolean poll() {
      return mode == LockMode.SHARED
          ? sides[target].lock.enterShared(ticket)
          : sides[target].lock.enterExclusive(ticket);
    }

    @Override
    public String describe() {
      return mode + " lock of rank " + target + " in " + window;
    }
  }

  /** Waits for another rank to have counted up. */
  private final class CountWait implements Wait {
    private final AtomicLongArray counts;
    private final int rank;
    private final long least;
    private final String call;

    CountWait(AtomicLongArray counts, int rank, long least, String call) {
      this.counts = counts;
      this.rank = rank;
      this.least = least;
      this.call = call;
    }

    @Override
    public boolean poll() {
      return counts.get(member.rank()) >= least;
    }

    @Override
    public String describe() {
      return call + " by rank " + rank + " in " + window;
    }

    @Override
    public int needs() {
      return member.group.member(rank).index;
    }
  }

  void lock(int target, LockMode mode) {
    FairLock lock = sides[target].lock;
    long ticket = lock.ask();
    boolean locked = false;
    try {
      member.self.await(new LockWait(target, mode, ticket));
      locked = true;
    } finally {
      if (!locked) {
        if (mode == LockMode.SHARED) {
          lock.giveUpShared(ticket);
        } else {
          lock.giveUpExclusive(ticket);
        }
        wakeAll();
      }
    }
  }

  void unlock(int target, LockMode mode) {
    if (mode == LockMode.SHARED) {
      sides[target].lock.leaveShared();
    } else {
      sides[target].lock.leaveExclusive();
    }
    wakeAll();
  }

  private void wakeAll() {
    for (int rank = 0; rank < sides.length; rank++) {
      member.group.member(rank).wakeParked();
    }
  }

  void post(int[] origins) {
    for (int origin : origins) {
      posts[origin]++;
      sides[member.rank()].posts.getAndIncrement(origin);
      member.group.member(origin).wake();
    }
  }

  void start(int[] targets) {
    for (int target : targets) {
      member.self.await(new CountWait(sides[target].posts, target, starts[target] + 1, "post"));
    }
    for (int target : targets) {
      starts[target]++;
    }
  }

  void complete(int[] targets) {
    for (int target : targets) {
      sides[member.rank()].completions.getAndIncrement(target);
      member.group.member(target).wake();
    }
  }

  void await(int[] origins) {
    for (int origin : origins) {
      member.self.await(
          new CountWait(sides[origin].completions, origin, posts[origin], "complete"));
    }
  }

  /** Waits while others touch this rank's memory, which was taken out of their reach. */
  void awaitUntouched() {
    for (WindowSide side : sides) {
      while (side.touches(member.rank())) {
        Thread.onSpinWait();
      }
    }
  }
}
