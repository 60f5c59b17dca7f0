package dev.rialto.local.collective;

import static dev.rialto.system.AddressSpace.MEMORY;

import dev.rialto.local.memory.ConfinedCopy;
import dev.rialto.local.memory.Memory;
import dev.rialto.local.rank.PendingOperation;
import dev.rialto.local.rank.Wait;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * One rank's side of a collective operation: what it called, with which buffers.
 *
 * <p>Written by its rank before it arrives, read by the others between its arrival and their
 * departure, and then used again if it was a blocking call's. Buffers are kept as {@link Memory}
 * opens them to all ranks.
 */
public class CollectiveOperation extends PendingOperation implements Wait {

  final CollectiveQueue queue;

  CollectiveKind kind = CollectiveKind.BARRIER;
  DType type = DType.I8;
  @Nullable ReduceOp op;
  int root;

  /** The elements of a block where all have as many; else those of this rank's only one. */
  long count;

  /** The operation, type, operator and root, which must be equal on all ranks; and the count. */
  long signature;

  long commonCount;

  /** Buffers that peers may use; null for confined ones, which have addresses. */
  private @Nullable MemorySegment openSend;

  private @Nullable MemorySegment openReceive;
  private long sendStart;
  private long receiveStart;

  /** Elements per block and where blocks start; null where all blocks have {@link #count}. */
  private long @Nullable [] sendCounts;

  private long @Nullable [] sendDisplacements;
  private long @Nullable [] receiveCounts;
  private long @Nullable [] receiveDisplacements;

  /** Of an {@link CollectiveKind#EXCHANGE}: what for, what this rank gives, what all gave. */
  private String purpose = "";

  Object given = "";
  Object[] taken = {};

  /** Which operation of the board it is. */
  long number = -1;

  /** The bytes this rank contributes through its cell; -1 if others read its memory instead. */
  long inline = -1;

  private volatile boolean withdrawn;

  /** Whether a blocking call is using it. */
  boolean claimed;

  private final AtomicReference<@Nullable CollectiveFailure> failure = new AtomicReference<>();

  CollectiveOperation(CollectiveQueue queue) {
    this.queue = queue;
  }

  /**
   * Becomes another operation, without buffers yet. References are written only where they change:
   * in an old object each costs the collector's barrier.
   */
  public final CollectiveOperation set(
      CollectiveKind newKind, DType newType, long newCount, @Nullable ReduceOp newOp, int newRoot) {
    if (kind != newKind) {
      kind = newKind;
    }
    if (type != newType) {
      type = newType;
    }
    if (!Objects.equals(op, newOp)) {
      op = newOp;
    }
    root = newRoot;
    count = newCount;
    commonCount = newCount;
    inline = -1;
    forget();
    forgetFailure();
    sign(newOp == null ? 0 : newOp.label().hashCode());
    return this;
  }

  /** Becomes an exchange of references. */
  final CollectiveOperation setExchange(String newPurpose, Object mine) {
    var _ = set(CollectiveKind.EXCHANGE, DType.I8, 0, null, 0);
    purpose = newPurpose;
    given = mine;
    sign(newPurpose.hashCode());
    return this;
  }

  @SuppressWarnings("EnumOrdinal")
  private void sign(int what) {
    signature =
        (long) root << 32
            | (what & 0xffffL) << 16
            | (long) type.ordinal() << 8
            | (long) kind.ordinal();
  }

  /**
   * Says what this rank sends.
   *
   * @param bytes how much of the buffer others may read; 0 if this rank sends nothing
   */
  CollectiveOperation sending(MemorySegment buffer, long bytes) {
    boolean confined = Memory.confined(buffer);
    openSend = confined ? null : buffer;
    sendStart = confined ? buffer.address() : 0;
    return this;
  }

  final CollectiveOperation sending(
      MemorySegment buffer, long bytes, long[] counts, long[] displacements) {
    sendCounts = counts;
    sendDisplacements = displacements;
    commonCount = 0;
    return sending(buffer, bytes);
  }

  /**
   * Says where this rank receives.
   *
   * @param bytes how much of the buffer others may write; 0 if this rank receives nothing
   */
  CollectiveOperation receiving(MemorySegment buffer, long bytes) {
    boolean confined = Memory.confined(buffer);
    openReceive = confined ? null : buffer;
    receiveStart = confined ? buffer.address() : 0;
    return this;
  }

  final CollectiveOperation receiving(
      MemorySegment buffer, long bytes, long[] counts, long @Nullable [] displacements) {
    receiveCounts = counts;
    receiveDisplacements = displacements;
    commonCount = 0;
    return receiving(buffer, bytes);
  }

  /** Copies what was received to the owner's memory, and nothing that lies between blocks. */
  final void unstage(ConfinedCopy from, long bytes) {
    if (receiveCounts == null || receiveDisplacements == null) {
      from.store(bytes);
    } else {
      for (int i = 0; i < receiveCounts.length; i++) {
        from.storeBlock(receiveOffset(i), receiveCounts[i] * type.size());
      }
    }
  }

  /**
   * Lets contributions travel in the cells if they fit.
   *
   * @param largest the bytes of the largest contribution of any rank; the same on all ranks
   * @param mine the bytes of this rank's
   */
  public final CollectiveOperation inline(long largest, long mine) {
    inline = largest <= CollectiveBoard.INLINE && !(op instanceof ReduceOp.User) ? mine : -1;
    return this;
  }

  /** Forgets what would otherwise live as long as the communicator. */
  final void forget() {
    openSend = null;
    openReceive = null;
    sendCounts = null;
    sendDisplacements = null;
    receiveCounts = null;
    receiveDisplacements = null;
  }

  /** Tells the others that this rank's memory must not be touched any more. */
  final void withdraw() {
    withdrawn = true;
  }

  final boolean withdrawn() {
    return withdrawn;
  }

  /** Returns whether no rank touches another's memory. */
  public final boolean inline() {
    return inline >= 0;
  }

  final int rank() {
    return queue.rank;
  }

  final int size() {
    return queue.board.size;
  }

  final CollectiveOperation side(int rank) {
    return rank == queue.rank ? this : queue.board.operation(rank, number);
  }

  /** Returns the memory that holds what a rank contributes. */
  final MemorySegment source(int rank) {
    return inline() ? MEMORY : side(rank).send();
  }

  /** Returns where in {@link #source} the contribution starts. */
  final long sourceStart(int rank) {
    return inline() ? queue.contributions().elements(rank, number) : side(rank).sendStart;
  }

  final MemorySegment send() {
    return openSend == null ? MEMORY : openSend;
  }

  final long sendStart() {
    return sendStart;
  }

  final MemorySegment receive() {
    return openReceive == null ? MEMORY : openReceive;
  }

  final long receiveStart() {
    return receiveStart;
  }

  final long sendCount(int block) {
    return sendCounts == null ? count : sendCounts[block];
  }

  /** Returns where a block to be sent starts, in bytes from the start of the buffer. */
  final long sendOffset(int block) {
    return (sendDisplacements == null ? block * count : sendDisplacements[block]) * type.size();
  }

  final long receiveCount(int block) {
    return receiveCounts == null ? count : receiveCounts[block];
  }

  /** Returns where a block to be received starts, in bytes from the start of the buffer. */
  final long receiveOffset(int block) {
    long start = receiveDisplacements == null ? block * count : receiveDisplacements[block];
    return start * type.size();
  }

  /** Returns whether {@code other} counts on the same blocks to be received. */
  final boolean receivesLike(CollectiveOperation other) {
    return Arrays.equals(receiveCounts, other.receiveCounts);
  }

  /** Fails this side because the ranks do not agree; a failure it already has stays. */
  final void mismatch(String what) {
    fail(new CollectiveFailure.Mismatch(what));
  }

  /** Fails this side with what {@code rank} threw in its share. */
  final void fail(int rank, Throwable thrown) {
    fail(new CollectiveFailure.Thrown(rank, thrown));
  }

  /** Fails this side because the memory of {@code rank} was freed. */
  final void freed(int rank, IllegalStateException cause) {
    fail(new CollectiveFailure.Freed(rank, cause));
  }

  /** Returns why this side failed if that is because memory of its own was freed; else null. */
  final @Nullable IllegalStateException freedCause() {
    return failure.get() instanceof CollectiveFailure.Freed freed && freed.rank() == rank()
        ? freed.cause()
        : null;
  }

  /** Returns whether a buffer of this side has been freed. */
  final boolean freed() {
    return !send().scope().isAlive() || !receive().scope().isAlive();
  }

  /** Fails this side because {@code rank} did not wait for the end. */
  final void left(int rank) {
    fail(new CollectiveFailure.Left(rank));
  }

  private void fail(CollectiveFailure why) {
    var _ = failure.compareAndSet(null, why);
  }

  /** Forgets an earlier failure; an operation that failed is over once no thread can fail it. */
  final void forgetFailure() {
    if (failed()) {
      failure.set(null);
    }
  }

  final boolean failed() {
    return failure.get() != null;
  }

  /** Returns the exception for a failed operation; null if it went well. */
  final @Nullable RuntimeException outcome() {
    CollectiveFailure why = failure.get();
    return why == null ? null : why.exception(this);
  }

  @Override
  public final boolean poll() {
    return queue.poll(this);
  }

  @Override
  public final boolean advance() {
    return queue.poll(this);
  }

  @Override
  public final String describe() {
    return this + " on " + queue.member.name() + queue.peers().missing(this);
  }

  @Override
  public final int needs() {
    return queue.peers().needs(this);
  }

  /** Returns what was called, such as {@code allReduce of 4 F64 by SUM}. */
  @Override
  public final String toString() {
    if (kind == CollectiveKind.EXCHANGE) {
      return purpose;
    }
    if (kind == CollectiveKind.BARRIER) {
      return kind.method;
    }
    if (kind == CollectiveKind.FENCE || kind == CollectiveKind.CLOSE_WINDOW) {
      return kind.method + " of window " + root;
    }
    StringBuilder text = new StringBuilder(kind.method).append(" of ");
    if (kind == CollectiveKind.REDUCE_SCATTER) {
      text.append(Arrays.toString(receiveCounts)).append(' ');
    } else if (commonCount == count) {
      text.append(count).append(' ');
    }
    text.append(type);
    if (op != null) {
      text.append(" by ").append(op.label());
    }
    switch (kind) {
      case BROADCAST, GATHER, GATHER_V, SCATTER, SCATTER_V, REDUCE ->
          text.append(" with root ").append(root);
      default -> {}
    }
    return text.toString();
  }
}
