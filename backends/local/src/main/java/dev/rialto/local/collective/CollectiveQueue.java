package dev.rialto.local.collective;

import static dev.rialto.system.AddressSpace.MEMORY;

import dev.rialto.local.memory.Memory;
import dev.rialto.local.rank.Rank;
import dev.rialto.local.world.Group;
import dev.rialto.local.world.Member;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * One rank's end of a {@link CollectiveBoard}: begins its operations and does its share of them, in
 * order.
 *
 * <p>All ranks begin the same operations in the same order, so doing the shares in that order waits
 * for nobody who could wait for this rank. An operation goes through four steps: <i>arrive</i> on
 * the board; wait until those it depends on (the sources) have arrived, and compare what they
 * called; do this rank's <i>share</i>; <i>depart</i>. It is complete when those who may work on
 * this rank's memory (the targets) have departed too. If all contributions travel in the cells
 * nobody does, and the last wait is left out.
 *
 * <p>For a communicator sources and targets are all ranks; for a topology, the neighbours. Several
 * threads may wait for operations of one queue; whoever gets hold of it brings it forward.
 */
public final class CollectiveQueue {
  /** The forms of calls. */
  public enum Form {
    BLOCKING,
    REQUEST,
    PERSISTENT
  }

  /** Looks at the board before a wait begins in earnest: a few microseconds. */
  private static final int SPINS = 200;

  final CollectiveBoard board;
  final int rank;
  final Member member;
  private final Group group;
  private final Rank self;
  private final int[] sources;
  private final int[] targets;
  private final @Nullable Edges edges;
  private final CollectiveOperation[] reusable = new CollectiveOperation[CollectiveBoard.SLOTS];
  private final ArrayDeque<CollectiveOperation> waiting = new ArrayDeque<>();
  private final int spins;

  /** What this rank contributes to the operations in the slots. */
  private final MemorySegment own =
      Arena.ofAuto().allocate((CollectiveBoard.SLOTS + 1L) * CollectiveBoard.INLINE, 128);

  private @Nullable Accumulator accumulator;

  /** Whether a thread is changing what follows. */
  private final AtomicBoolean held = new AtomicBoolean();

  /** Operations begun, and those of them that have arrived. */
  private long begun;

  private long arrived;

  /** Operations this rank has done its share of; read without holding the queue. */
  private final AtomicLong done = new AtomicLong();

  /** Operations that all targets were last seen to have departed from; likewise. */
  private final AtomicLong departed = new AtomicLong();

  /**
   * Makes a queue.
   *
   * @param sources whose arrival operations wait for, each once, without this rank
   * @param targets whose departure operations wait for, likewise
   * @param edges where blocks come from in a topology
   */
  CollectiveQueue(
      CollectiveBoard board, Member member, int[] sources, int[] targets, @Nullable Edges edges) {
    this.board = board;
    this.member = member;
    this.group = member.group;
    this.rank = member.rank();
    this.self = member.self;
    this.sources = sources;
    this.targets = targets;
    this.edges = edges;
    this.spins = Math.min(SPINS, self.world.patience.mostSpins());
    Arrays.setAll(reusable, i -> new CollectiveOperation(this));
  }

  /** Makes the queue for operations in which all ranks of a group depend on all. */
  static CollectiveQueue ofAll(Member member) {
    int[] others = new int[member.size() - 1];
    // Each rank begins with its successor, so that not all read the same cell first.
    Arrays.setAll(others, i -> (member.rank() + 1 + i) % member.size());
    return new CollectiveQueue(member.group.board, member, others, others, null);
  }

  public CollectiveOperation make(Form form) {
    return switch (form) {
      case BLOCKING -> reusable();
      case REQUEST -> new CollectiveRequest(this);
      case PERSISTENT -> new PersistentCollective(this);
    };
  }

  /** The rank's own thread uses the same operations again and again; others are rare. */
  private CollectiveOperation reusable() {
    CollectiveOperation operation = reusable[(int) begun & (CollectiveBoard.SLOTS - 1)];
    if (operation.claimed || !departed(operation.number) || !self.isOwnThread()) {
      operation = new CollectiveOperation(this);
    }
    operation.claimed = true;
    return operation;
  }

  /** Carries out the operation of a blocking call. */
  public void run(CollectiveOperation operation) {
    boolean over = false;
    try {
      if (!enterAndSpin(operation)) {
        self.await(operation);
      }
      over = true;
    } finally {
      if (!over) {
        leave(operation);
      }
    }
    RuntimeException failure = operation.outcome();
    operation.forget();
    operation.claimed = false;
    if (failure != null) {
      throw failure;
    }
  }

  /** Begins the operation of a non-blocking call. */
  Request start(CollectiveOperation operation) {
    CollectiveRequest request = member.register((CollectiveRequest) operation);
    request.begin();
    return request;
  }

  /** Returns the operation of a persistent call, to be started later. */
  PersistentRequest keep(CollectiveOperation operation) {
    return member.register((PersistentCollective) operation);
  }

  /** Begins a request, which every wait of this rank will then bring forward. */
  void begin(CollectiveRequest request) {
    hold();
    try {
      enter(request);
    } finally {
      release();
    }
    wakeOthers();
    self.begin(request);
  }

  /** Gives all ranks a reference, and returns those that all gave, in rank order. */
  Object[] exchange(String purpose, Object mine) {
    CollectiveOperation operation = new CollectiveOperation(this).setExchange(purpose, mine);
    run(operation);
    return operation.taken;
  }

  /** Returns where blocks come from in a topology. */
  Edges edges() {
    return Objects.requireNonNull(edges);
  }

  /** Returns what this rank's shares of reductions compute in. */
  Accumulator accumulator() {
    if (accumulator == null) {
      accumulator = new Accumulator();
    }
    return accumulator;
  }

  /**
   * Begins an operation and, for a moment, does nothing but look for its end. No fence comes
   * between showing the others what this rank has for them and looking at what they have for this
   * one, so the two cache lines travel at the same time; whoever sleeps is woken afterwards.
   */
  private boolean enterAndSpin(CollectiveOperation operation) {
    boolean over;
    hold();
    try {
      enter(operation);
      over = spin(operation);
    } finally {
      release();
    }
    wakeOthers();
    return over;
  }

  private boolean spin(CollectiveOperation operation) {
    int left = spins;
    if (done.getPlain() == operation.number && arrived > operation.number) {
      while (!sourcesArrived(operation.number)) {
        if (--left <= 0) {
          return false;
        }
      }
      share(operation);
    }
    while (!complete(operation)) {
      if (--left <= 0) {
        return false;
      }
      var _ = advanceHeld();
    }
    return true;
  }

  private void enter(CollectiveOperation operation) {
    operation.number = begun++;
    if (waiting.isEmpty() && slotFree(operation.number)) {
      arrive(operation);
    } else {
      waiting.add(operation);
    }
  }

  /** The operation that had the slot before must be over, here too. */
  private boolean slotFree(long number) {
    long before = number - CollectiveBoard.SLOTS;
    return done.getPlain() > before && departed(before);
  }

  private void arrive(CollectiveOperation operation) {
    if (operation.inline > 0 && !operation.withdrawn()) {
      try {
        contribute(operation, board.elements(rank, operation.number));
        contribute(operation, elements(rank, operation.number));
      } catch (IllegalStateException e) {
        Memory.brokenOff();
        operation.freed(rank, e);
        // What the others find in the cell must not pass for a contribution.
        operation.commonCount = -1;
      }
    }
    arrived++;
    board.arrive(rank, operation, done.getPlain());
  }

  private static void contribute(CollectiveOperation operation, long address) {
    Memory.copySmall(operation.send(), operation.sendStart(), MEMORY, address, operation.inline);
  }

  /**
   * Returns the address of the elements that {@code rank} contributes through its cell. This rank's
   * own are kept a second time: a line that a peer has just read is slow to read here too
   * (measured: 50 ns), and by then the caller may be writing its result over them.
   */
  long elements(int source, long number) {
    return source == rank
        ? own.address() + (number & (CollectiveBoard.SLOTS - 1)) * CollectiveBoard.INLINE
        : board.elements(source, number);
  }

  /** Returns the address of memory in which this rank combines elements of cells. */
  long scratch() {
    return own.address() + (long) CollectiveBoard.SLOTS * CollectiveBoard.INLINE;
  }

  /** Wakes those who may wait for what this rank has shown on the board. */
  private void wakeOthers() {
    VarHandle.fullFence();
    for (int source : sources) {
      group.member(source).wakeParked();
    }
    if (edges != null) {
      for (int target : targets) {
        group.member(target).wakeParked();
      }
    }
    if (self.world.deadlocks.bystanders().seen()) {
      self.wakeParked();
    }
  }

  /** Brings the queue forward and returns whether an operation is complete. */
  boolean poll(CollectiveOperation operation) {
    if (done.getAcquire() <= operation.number && held.compareAndSet(false, true)) {
      boolean advanced;
      try {
        advanced = advanceHeld();
      } finally {
        release();
      }
      if (advanced) {
        self.progressed();
        wakeOthers();
      }
    }
    return complete(operation);
  }

  private boolean complete(CollectiveOperation operation) {
    return done.getAcquire() > operation.number
        && ((operation.inline() && !operation.failed()) || departed(operation.number));
  }

  /**
   * Does this rank's shares of all operations that can take place now.
   *
   * @return whether others may have waited for that
   */
  private boolean advanceHeld() {
    long before = arrived + done.getPlain();
    while (done.getPlain() < begun) {
      while (!waiting.isEmpty() && slotFree(arrived)) {
        arrive(waiting.remove());
      }
      long next = done.getPlain();
      if (next == arrived || !sourcesArrived(next)) {
        break;
      }
      share(board.operation(rank, next));
    }
    return arrived + done.getPlain() > before;
  }

  private boolean sourcesArrived(long number) {
    for (int source : sources) {
      if (!board.arrived(source, number)) {
        return false;
      }
    }
    return true;
  }

  private void share(CollectiveOperation operation) {
    long least = Long.MAX_VALUE;
    for (int source : sources) {
      if (!board.agrees(source, operation)) {
        differs(operation, source);
      }
      least = Math.min(least, board.departedOnArrival(source, operation.number));
    }
    if (edges == null) {
      // Known by the way, so that the line where departures are shown is seldom looked at.
      noteDeparted(least);
    }
    if (!operation.inline()) {
      board.touch(rank, operation.number);
      checkPresent(operation);
    } else if (operation.withdrawn()) {
      operation.left(rank);
    }
    if (!operation.failed()) {
      try {
        operation.kind.share(operation);
      } catch (Throwable thrown) {
        failAll(operation, thrown);
      }
    }
    done.setRelease(operation.number + 1);
    board.depart(rank, operation.number + 1);
  }

  /** Fails an operation for which the cells of this rank and {@code source} differ. */
  private void differs(CollectiveOperation operation, int source) {
    IllegalStateException freed = operation.side(source).freedCause();
    if (freed != null) {
      operation.freed(source, freed);
    } else if (operation.freedCause() == null) {
      disagree(operation, source);
    }
  }

  /** Fails all sides of an operation with what this rank's share threw. */
  private void failAll(CollectiveOperation operation, Throwable thrown) {
    int freed = thrown instanceof IllegalStateException ? freedBy(operation) : -1;
    if (freed >= 0) {
      Memory.brokenOff();
    }
    fail(operation, freed, thrown);
    for (int source : sources) {
      fail(operation.side(source), freed, thrown);
    }
  }

  private void fail(CollectiveOperation side, int freed, Throwable thrown) {
    if (freed >= 0 && thrown instanceof IllegalStateException cause) {
      side.freed(freed, cause);
    } else {
      side.fail(rank, thrown);
    }
  }

  /** Returns a rank whose memory was freed; -1 if none was. */
  private int freedBy(CollectiveOperation operation) {
    if (operation.freed()) {
      return rank;
    }
    for (int source : sources) {
      if (!operation.inline() && operation.side(source).freed()) {
        return source;
      }
    }
    return -1;
  }

  /** Fails an operation whose memory is not all there any more. */
  private void checkPresent(CollectiveOperation operation) {
    if (operation.withdrawn()) {
      operation.left(rank);
    }
    for (int source : sources) {
      if (operation.side(source).withdrawn()) {
        operation.left(source);
      }
    }
  }

  /**
   * Takes this rank's memory out of an operation that cannot be waited for any longer. The others
   * see that before they touch it, or are waited for while they do.
   */
  void leave(CollectiveOperation operation) {
    operation.withdraw();
    // Another thread of this rank may be doing its share.
    hold();
    release();
    while (board.touches(rank, operation.number)) {
      Thread.onSpinWait();
    }
    for (int target : targets) {
      while (board.touches(target, operation.number)) {
        Thread.onSpinWait();
      }
    }
    var _ = poll(operation);
  }

  /** Fails an operation because {@code other} called something else. */
  void disagree(CollectiveOperation operation, int other) {
    mismatch(operation, other, Disagreement.describe(operation, sources));
  }

  /**
   * Fails an operation because this rank and {@code other} do not fit together: for both of them if
   * they are neighbours, for all ranks if all take part.
   */
  void mismatch(CollectiveOperation operation, int other, String what) {
    operation.mismatch(what);
    if (edges == null) {
      for (int source : sources) {
        operation.side(source).mismatch(what);
      }
    } else {
      operation.side(other).mismatch(what);
    }
  }

  /** Returns whether all targets have departed from operation {@code number}. */
  private boolean departed(long number) {
    if (departed.getAcquire() > number) {
      return true;
    }
    long least = Long.MAX_VALUE;
    for (int target : targets) {
      least = Math.min(least, board.departed(target));
    }
    noteDeparted(least);
    return least > number;
  }

  private void noteDeparted(long least) {
    if (least > departed.getAcquire()) {
      departed.setRelease(least);
    }
  }

  private void hold() {
    while (!held.compareAndSet(false, true)) {
      Thread.yield();
    }
  }

  private void release() {
    held.setRelease(false);
  }

  /** Returns the world rank of one that an operation still waits for; -1 if there is none. */
  int needs(CollectiveOperation operation) {
    for (int source : sources) {
      if (!board.arrived(source, operation.number)) {
        return group.member(source).index;
      }
    }
    for (int target : targets) {
      if (board.departed(target) <= operation.number) {
        return group.member(target).index;
      }
    }
    return -1;
  }

  /** Says which ranks an operation still waits for. */
  String missing(CollectiveOperation operation) {
    String absent =
        Arrays.stream(sources)
            .filter(source -> !board.arrived(source, operation.number))
            .sorted()
            .mapToObj(String::valueOf)
            .collect(Collectors.joining(" and "));
    return absent.isEmpty() ? "" : ", still without rank " + absent;
  }

  @Override
  public String toString() {
    return member.where();
  }
}
