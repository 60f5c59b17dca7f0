package dev.rialto.runtime.memory;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A piece of device memory that knows its users: the stream and position of the last write, and of
 * the last read on each stream since.
 *
 * <p>A thread that adds an operation claims the blocks it touches, in the order of {@link #id},
 * makes its stream wait for what {@link #require} finds, adds the operation, records it and lets
 * go. All claims of an operation overlap, so operations can be put in one order that every wait
 * respects, and streams never wait for one another in a circle.
 *
 * <p>A freed block keeps what it knows, so the next owner on the same stream need not wait for
 * anything and one on another stream can see whether it would have to.
 */
public final class Block extends Claim {
  private static final AtomicLong IDS = new AtomicLong();
  private static final VarHandle HOLDING;

  static {
    try {
      HOLDING = MethodHandles.lookup().findVarHandle(Block.class, "holding", Holding.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final long id = IDS.incrementAndGet();
  private final MemorySegment segment;
  private final long bytes;
  private final BlockSource source;
  private final @Nullable Page page;

  /** Blocks around the same memory that were made before this one. */
  private volatile List<Block> beneath = List.of();

  // The following is guarded by the claim.
  private int generation;
  private @Nullable Lane writer;
  private long written;
  private Lane[] readers = new Lane[2];
  private long[] read = new long[2];
  private int readerCount;
  private boolean initialized;
  private int lentToRead;
  private int lentToWrite;

  /** A write that did not happen; the last one if lane and position are those of the last. */
  private record Spoilt(Lane lane, long position, Throwable cause) {}

  private volatile @Nullable Spoilt spoilt;

  // Written by the owner alone, and looked at when memory runs out: no fence is worth its time.
  private @Nullable Holding holding;
  private long requested;
  private @Nullable Quota quota;

  Block(MemorySegment segment, long bytes, BlockSource source, @Nullable Page page) {
    this.segment = segment;
    this.bytes = bytes;
    this.source = source;
    this.page = page;
  }

  /** Returns a number that no other block has; blocks are claimed in its order. */
  public long id() {
    return id;
  }

  /** Returns the memory, which may be more than was asked for. */
  public MemorySegment segment() {
    return segment;
  }

  /** Returns how many bytes the memory has. */
  public long bytes() {
    return bytes;
  }

  /** Returns blocks that a use of this one uses too, because they share memory. */
  public List<Block> beneath() {
    return beneath;
  }

  void lieOver(List<Block> others) {
    beneath = others;
  }

  /** Returns what this block was cut from, or null if nothing else was. */
  @Nullable Page page() {
    return page;
  }

  /** Returns how often this block has been freed: what a buffer compares to know it is closed. */
  public int generation() {
    return generation;
  }

  // --- Who uses it, under a claim ----------------------------------------------------------------

  /**
   * Makes a lane wait for what an operation on this block has to come after: the last write, and if
   * it writes the reads since. What it reads must have been written well; what it only overwrites
   * need not.
   */
  public void require(Lane lane, boolean reads, boolean writes) {
    Lane last = writer;
    if (last != null && isPending(last, written, lane)) {
      if (reads) {
        lane.after(last, written);
      } else {
        lane.timeline().waitReached(last.timeline(), written);
      }
    }
    if (writes) {
      for (int i = 0; i < readerCount; i++) {
        if (isPending(readers[i], read[i], lane)) {
          lane.timeline().waitReached(readers[i].timeline(), read[i]);
        }
      }
    }
  }

  /**
   * Notes that an operation that should have written this block failed or was skipped. Called by
   * its stream, without a claim and before the stream counts the operation as reached.
   */
  public void spoil(Lane lane, long position, Throwable cause) {
    spoilt = new Spoilt(lane, position, cause);
  }

  /** Forgets a write that did not happen; there seldom is one, and a volatile store takes long. */
  private void unspoil() {
    if (spoilt != null) {
      spoilt = null;
    }
  }

  /** Returns why the last write did not happen, or null if it did or is still to come. */
  public @Nullable Throwable failure() {
    Lane last = writer;
    if (last == null || !initialized) {
      return null;
    }
    Spoilt kept = spoilt;
    if (kept != null && kept.lane.equals(last) && kept.position == written) {
      return kept.cause;
    }
    return last.timeline().failureAt(written);
  }

  /** Records an operation that was added to a lane before a position. */
  public void record(Lane lane, long position, boolean writes) {
    if (writes) {
      writer = lane;
      written = position;
      readerCount = 0;
      initialized = true;
      return;
    }
    int slot = 0;
    while (slot < readerCount && !readers[slot].equals(lane)) {
      slot++;
    }
    if (slot == readerCount) {
      slot = newReader();
    }
    readers[slot] = lane;
    read[slot] = position;
  }

  private int newReader() {
    for (int i = 0; i < readerCount; i++) {
      if (readers[i].timeline().isReached(read[i])) {
        return i;
      }
    }
    if (readerCount == readers.length) {
      readers = Arrays.copyOf(readers, 2 * readerCount);
      read = Arrays.copyOf(read, 2 * readerCount);
    }
    return readerCount++;
  }

  /** Returns whether anything was ever written here since the block was last handed out. */
  public boolean isInitialized() {
    return initialized;
  }

  /** Counts the memory as written by the host, which no stream needs to wait for. */
  public void initialize() {
    initialized = true;
    unspoil();
    writer = null;
    readerCount = 0;
  }

  /** Returns the lane of the last write, which a host that reads waits for, or null. */
  public @Nullable Lane writer() {
    return writer;
  }

  /** Returns whether the last write has ended. */
  public boolean isWritten() {
    return !isPending(writer, written, null);
  }

  /** Waits for the write that is the last now; the caller has no claim. */
  public void awaitWritten() {
    claim();
    Lane last = writer;
    long position = written;
    unclaim();
    if (last != null) {
      last.timeline().awaitReached(position);
    }
  }

  /** Counts a resource that is open to the host. */
  public void lend(boolean toWrite) {
    if (toWrite) {
      lentToWrite++;
    } else {
      lentToRead++;
    }
  }

  /** Counts a resource as closed. */
  public void takeBack(boolean toWrite) {
    if (toWrite) {
      lentToWrite--;
    } else {
      lentToRead--;
    }
  }

  /** Returns whether the host may read or write the memory at this moment. */
  public boolean isLent() {
    return lentToRead + lentToWrite > 0;
  }

  /** Returns whether the host may write the memory at this moment. */
  public boolean isLentToWrite() {
    return lentToWrite > 0;
  }

  /** Waits until no stream uses this block; the caller has no claim. */
  public void awaitIdle() {
    while (true) {
      Lane pending;
      long position;
      claim();
      // A device that has failed may throw when it is asked how far it is.
      try {
        pending = isPending(writer, written, null) ? writer : null;
        position = written;
        for (int i = 0; i < readerCount && pending == null; i++) {
          if (isPending(readers[i], read[i], null)) {
            pending = readers[i];
            position = read[i];
          }
        }
      } finally {
        unclaim();
      }
      if (pending == null) {
        return;
      }
      pending.timeline().awaitReached(position);
    }
  }

  /** Returns whether every use has been passed by its stream. */
  public boolean isIdle() {
    return isIdleExceptOn(null);
  }

  /** Returns whether every use that is not on {@code lane} has been passed by its stream. */
  boolean isIdleExceptOn(@Nullable Lane lane) {
    if (isPending(writer, written, lane)) {
      return false;
    }
    for (int i = 0; i < readerCount; i++) {
      if (isPending(readers[i], read[i], lane)) {
        return false;
      }
    }
    return true;
  }

  private static boolean isPending(@Nullable Lane user, long position, @Nullable Lane lane) {
    return user != null && !user.equals(lane) && !user.timeline().isReached(position);
  }

  /** Returns a lane that is the only one that may still use this block, or null if two may. */
  @Nullable Lane soleUser() {
    Lane user = writer;
    if (user == null) {
      user = readerCount > 0 ? readers[0] : null;
    }
    return user != null && isIdleExceptOn(user) ? user : null;
  }

  /** Adds another block's uses to this one's; both are claimed, or no longer owned. */
  void absorb(Block part) {
    Lane last = part.writer;
    if (last != null) {
      // As a read: it orders a later write just as well, and keeps other parts' uses.
      record(last, Math.max(part.written, readOn(last)), false);
    }
    for (int i = 0; i < part.readerCount; i++) {
      Lane lane = part.readers[i];
      record(lane, Math.max(part.read[i], readOn(lane)), false);
    }
  }

  private long readOn(Lane lane) {
    for (int i = 0; i < readerCount; i++) {
      if (readers[i].equals(lane)) {
        return read[i];
      }
    }
    return 0;
  }

  // --- Lifetime ----------------------------------------------------------------------------------

  /** Hands this block out for a number of bytes that count against a quota. */
  void handOut(long forBytes, @Nullable Quota against) {
    initialized = false;
    unspoil();
    requested = forBytes;
    quota = against;
  }

  /** Returns the bytes that were asked for. */
  long requested() {
    return requested;
  }

  /** Sets who holds this block, so that it can be named when memory runs out or is leaked. */
  public void heldBy(Holding who) {
    HOLDING.setRelease(this, who);
  }

  @Nullable Holding holding() {
    return (Holding) HOLDING.getAcquire(this);
  }

  /**
   * Gives this block back to where it came from. Uses that were added before still happen; claims
   * made after find another generation.
   *
   * @return false if it was given back before
   */
  public boolean release(int expected) {
    claim();
    boolean current = generation == expected;
    if (current) {
      generation++;
    }
    unclaim();
    if (current) {
      Holding was = holding;
      if (was != null) {
        was.clear();
        HOLDING.setRelease(this, null);
      }
      if (quota != null) {
        quota.give(requested);
      }
      source.release(this);
    }
    return current;
  }
}
