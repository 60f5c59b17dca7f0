package dev.rialto.local.collective;

import dev.rialto.local.rank.Guarded;
import dev.rialto.local.rank.LongField;
import dev.rialto.local.rank.Rank;
import dev.rialto.local.world.Group;
import dev.rialto.local.world.Member;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * One rank's end of a {@link CollectiveBoard}: begins its operations and does its share of them, in
 * order.
 *
 * <p>All ranks begin the same operations in the same order, so a rank that does its shares in that
 * order never waits for one that waits for it. An operation goes through four steps: <i>arrive</i>
 * on the board; wait until those it depends on (the sources) have arrived, and compare what they
 * called; do this rank's <i>share</i>; <i>depart</i>. It is complete when those who may work on
 * this rank's memory (the targets) have departed too. If all contributions travel in the cells no
 * rank does, and the last wait is left out.
 *
 * <p>For a communicator sources and targets are all ranks; for a topology, the neighbours. Several
 * threads may wait for operations of one queue; the one that has its lock brings it forward.
 */
public final class CollectiveQueue extends Guarded {
  /** The forms of calls. */
  public enum Form {
    BLOCKING,
    REQUEST,
    PERSISTENT
  }

  /** Looks at the board before a wait begins in earnest: a few microseconds. */
  private static final int SPINS = 200;

  private static final VarHandle DONE = LongField.of(MethodHandles.lookup(), "done");
  private static final VarHandle DEPARTED = LongField.of(MethodHandles.lookup(), "departed");

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

  private final Contributions contributions;

  /** Operations begun, and those of them that have arrived; for the thread that has the lock. */
  private long begun;

  private long arrived;

  /** Operations this rank has done its share of; read without the lock. */
  private long done;

  /** Operations that all targets were last seen to have departed from; likewise. */
  @SuppressWarnings("UnusedVariable") // used by way of DEPARTED
  private long departed;

  private final CollectivePeers peers;

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
    this.peers = new CollectivePeers(board, member, sources, targets, edges == null);
    this.contributions = new Contributions(board, rank);
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
    hold(operation);
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
    CollectiveRequest request = (CollectiveRequest) operation;
    request.begin();
    return member.register(request);
  }

  /** Returns the operation of a persistent call, to be started later. */
  PersistentRequest keep(CollectiveOperation operation) {
    return member.register((PersistentCollective) operation);
  }

  /** Begins a request, which every wait of this rank will then bring forward. */
  void begin(CollectiveRequest request) {
    hold(request);
    try {
      enter(request);
    } finally {
      unlock();
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

  /** Returns the other ranks. */
  CollectivePeers peers() {
    return peers;
  }

  /** Returns where blocks come from in a topology. */
  Edges edges() {
    return Objects.requireNonNull(edges);
  }

  /** Returns the elements that travel in cells. */
  Contributions contributions() {
    return contributions;
  }

  /**
   * Begins an operation and, for a moment, does nothing but look for its end, with the lock, which
   * it gives back. No fence comes between showing the others what this rank has for them and
   * looking at what they have for this one, so the two cache lines travel at the same time;
   * sleeping ranks are woken afterwards.
   */
  private boolean enterAndSpin(CollectiveOperation operation) {
    boolean over;
    try {
      enter(operation);
      over = spin(operation);
    } finally {
      unlock();
    }
    wakeOthers();
    return over;
  }

  private boolean spin(CollectiveOperation operation) {
    int left = spins;
    if (done == operation.number && arrived > operation.number) {
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
    return done > before && departed(before);
  }

  private void arrive(CollectiveOperation operation) {
    if (operation.inline > 0 && !operation.withdrawn()) {
      contributions.add(operation);
    }
    arrived++;
    board.arrive(rank, operation, done);
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
    if ((long) DONE.getAcquire(this) <= operation.number && acquire()) {
      boolean advanced;
      try {
        advanced = advanceHeld();
      } finally {
        unlock();
      }
      if (advanced) {
        self.progressed();
        wakeOthers();
      }
    }
    return complete(operation);
  }

  private boolean complete(CollectiveOperation operation) {
    return (long) DONE.getAcquire(this) > operation.number
        && ((operation.inline() && !operation.failed()) || departed(operation.number));
  }

  /**
   * Does this rank's shares of all operations that can take place now.
   *
   * @return whether others may have waited for that
   */
  private boolean advanceHeld() {
    long before = arrived + done;
    while (done < begun) {
      while (!waiting.isEmpty() && slotFree(arrived)) {
        arrive(waiting.remove());
      }
      long next = done;
      if (next == arrived || !sourcesArrived(next)) {
        break;
      }
      share(board.operation(rank, next));
    }
    return arrived + done > before;
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
        peers.differs(operation, source);
      }
      least = Math.min(least, board.departedOnArrival(source, operation.number));
    }
    if (edges == null) {
      // Known by the way, so that the line where departures are shown is seldom looked at.
      noteDeparted(least);
    }
    if (!operation.inline()) {
      board.touch(rank, operation.number);
      peers.checkPresent(operation);
    } else if (operation.withdrawn()) {
      operation.left(rank);
    }
    if (!operation.failed()) {
      try {
        operation.kind.share(operation);
      } catch (Throwable thrown) {
        peers.failAll(operation, thrown);
      }
    }
    DONE.setRelease(this, operation.number + 1);
    board.depart(rank, operation.number + 1);
  }

  /**
   * Takes this rank's memory out of an operation that cannot be waited for any longer. The others
   * see that before they touch it, or are waited for while they do.
   */
  void leave(CollectiveOperation operation) {
    operation.withdraw();
    if (!isHeldByThisThread()) {
      // Another thread of this rank may be doing its share.
      lock();
      unlock();
    }
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

  /** Returns whether all targets have departed from operation {@code number}. */
  private boolean departed(long number) {
    if ((long) DEPARTED.getAcquire(this) > number) {
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
    if (least > (long) DEPARTED.getAcquire(this)) {
      DEPARTED.setRelease(this, least);
    }
  }

  /** Takes the lock. Its holder may be the calling thread, within an operator of a user's. */
  private void hold(CollectiveOperation operation) {
    while (!acquire()) {
      if (isHeldByThisThread()) {
        operation.claimed = false;
        throw new IllegalStateException(
            "a collective on "
                + member.name()
                + " is called by the operator of a reduction there,"
                + " which has to end first; combine the elements only");
      }
      Thread.yield();
    }
  }

  @Override
  public String toString() {
    return member.where();
  }
}
