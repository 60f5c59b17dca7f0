package dev.rialto.local.message;

import dev.rialto.local.memory.BufferChecks;
import dev.rialto.local.memory.Memory;
import dev.rialto.local.memory.Runs;
import dev.rialto.local.rank.Rank;
import dev.rialto.local.world.Group;
import dev.rialto.local.world.LocalCommunicator;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Message;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.SendMode;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a {@link LocalCommunicator}, and what of its users' is still open.
 *
 * <p>A short message goes straight into its slot. Everything else is a {@link Send} or {@link
 * Receive}; blocking calls of the rank's own thread use the same two again and again.
 */
public abstract class LocalPointToPoint implements Communicator {
  public final Group group;
  public final Rank self;
  final Mailbox mailbox;
  private final int rank;
  private final @Nullable Outlet[] outlets;
  private final Receive ownReceive;
  private final @Nullable Send[] ownSends;
  private final List<Object> open = new ArrayList<>();
  private int crowded = 64;
  private volatile boolean queued;
  private volatile boolean closed;

  @SuppressWarnings("this-escape") // What is made here only keeps it.
  protected LocalPointToPoint(Group group, int rank) {
    this.group = group;
    this.rank = rank;
    this.self = group.member(rank);
    this.mailbox = group.mailbox(rank);
    this.outlets = new Outlet[group.size()];
    this.ownSends = new Send[group.size()];
    this.ownReceive = new Receive(this, false);
  }

  @Override
  public final String name() {
    return group.name;
  }

  @Override
  public final int rank() {
    return rank;
  }

  @Override
  public final int size() {
    return group.size();
  }

  @Override
  public final int maxTag() {
    return Integer.MAX_VALUE;
  }

  @Override
  public final void send(
      MemorySegment buffer, DType type, long count, int target, int tag, SendMode mode) {
    long bytes = checkSend(buffer, type, count, target, tag);
    if (mode != SendMode.SYNCHRONOUS && bytes <= Ring.INLINE) {
      if (outletTo(target).offer(buffer, bytes, tag)) {
        return;
      }
    }
    Send send = beginSend(buffer, bytes, target, tag, mode);
    var _ = send.conclude();
  }

  @Override
  public final Status receive(MemorySegment buffer, DType type, long count, int source, int tag) {
    long bytes = checkReceive(buffer, type, count, source, tag);
    return beginReceive(buffer, bytes, source, tag).conclude();
  }

  @Override
  public final Status sendReceive(
      MemorySegment sendBuffer,
      long sendCount,
      int target,
      int sendTag,
      MemorySegment receiveBuffer,
      long receiveCount,
      int source,
      int receiveTag,
      DType type) {
    long sendBytes = checkSend(sendBuffer, type, sendCount, target, sendTag);
    long receiveBytes = checkReceive(receiveBuffer, type, receiveCount, source, receiveTag);
    BufferChecks.disjoint(sendBuffer, sendBytes, receiveBuffer, receiveBytes);
    Receive receive = beginReceive(receiveBuffer, receiveBytes, source, receiveTag);
    boolean sent = false;
    try {
      Send send = beginSend(sendBuffer, sendBytes, target, sendTag, SendMode.STANDARD);
      var _ = send.conclude();
      sent = true;
    } finally {
      if (!sent) {
        receive.leave();
      }
    }
    return receive.conclude();
  }

  @Override
  public final Request isend(
      MemorySegment buffer, DType type, long count, int target, int tag, SendMode mode) {
    return newSend(buffer, type, count, target, tag, mode, false).begin();
  }

  @Override
  public final Request ireceive(MemorySegment buffer, DType type, long count, int source, int tag) {
    return newReceive(buffer, type, count, source, tag, false).begin();
  }

  @Override
  public final PersistentRequest persistentSend(
      MemorySegment buffer, DType type, long count, int target, int tag, SendMode mode) {
    return register(newSend(buffer, type, count, target, tag, mode, true));
  }

  @Override
  public final PersistentRequest persistentReceive(
      MemorySegment buffer, DType type, long count, int source, int tag) {
    return register(newReceive(buffer, type, count, source, tag, true));
  }

  @Override
  public final Request isend(MemorySegment buffer, Layout layout, int target, int tag) {
    return newSend(buffer, layout, target, tag, false).begin();
  }

  @Override
  public final Request ireceive(MemorySegment buffer, Layout layout, int source, int tag) {
    return newReceive(buffer, layout, source, tag, false).begin();
  }

  @Override
  public final PersistentRequest persistentSend(
      MemorySegment buffer, Layout layout, int target, int tag) {
    return register(newSend(buffer, layout, target, tag, true));
  }

  @Override
  public final PersistentRequest persistentReceive(
      MemorySegment buffer, Layout layout, int source, int tag) {
    return register(newReceive(buffer, layout, source, tag, true));
  }

  @Override
  public final Status probe(int source, int tag) {
    return awaitMessage(source, tag, false).status();
  }

  @Override
  public final Optional<Status> iprobe(int source, int tag) {
    return find(source, tag, false).map(Mailbox.Found::status);
  }

  @Override
  public final Message matchedProbe(int source, int tag) {
    return new LocalMessage(this, awaitMessage(source, tag, true));
  }

  @Override
  public final Optional<Message> imatchedProbe(int source, int tag) {
    return find(source, tag, true).map(found -> new LocalMessage(this, found));
  }

  private Optional<Mailbox.Found> find(int source, int tag, boolean take) {
    checkSource(source, tag);
    self.progress();
    return Optional.ofNullable(mailbox.find(source, tag, take));
  }

  private Mailbox.Found awaitMessage(int source, int tag, boolean take) {
    checkSource(source, tag);
    Search search = new Search(this, source, tag, take);
    self.await(search);
    return search.found();
  }

  @Override
  public final int awaitAny(List<? extends Request> requests) {
    if (requests.isEmpty()) {
      throw new IllegalArgumentException("awaitAny of no requests would never return; give one");
    }
    AnyOf any = new AnyOf(this, requests);
    self.await(any);
    return any.index();
  }

  private Send beginSend(MemorySegment buffer, long bytes, int target, int tag, SendMode mode) {
    boolean own = self.isOwnThread();
    Send send = own ? ownSends[target] : null;
    if (send == null) {
      send = new Send(this, outletTo(target), target, false);
      if (own) {
        ownSends[target] = send;
      }
    }
    send.with(tag, mode).of(buffer, bytes).launch();
    return send;
  }

  private Receive beginReceive(MemorySegment buffer, long bytes, int source, int tag) {
    Receive receive = self.isOwnThread() ? ownReceive : new Receive(this, false);
    receive.from(source, tag).into(buffer, bytes).launch();
    return receive;
  }

  private Outlet outletTo(int target) {
    Outlet outlet = outlets[target];
    if (outlet == null) {
      outlet = group.mailbox(target).outletOf(rank);
      outlets[target] = outlet;
    }
    return outlet;
  }

  private Send newSend(
      MemorySegment buffer,
      DType type,
      long count,
      int target,
      int tag,
      SendMode mode,
      boolean persistent) {
    long bytes = checkSend(buffer, type, count, target, tag);
    return new Send(this, outletTo(target), target, persistent)
        .with(tag, mode)
        .keeping(buffer, bytes, null);
  }

  private Send newSend(
      MemorySegment buffer, Layout layout, int target, int tag, boolean persistent) {
    checkTarget(target, tag);
    Arguments.buffer(buffer, layout, "send buffer");
    Memory.check(buffer, "send buffer");
    return new Send(this, outletTo(target), target, persistent)
        .with(tag, SendMode.STANDARD)
        .keeping(buffer, layout.bytes(), layout.isContiguous() ? null : Runs.of(layout));
  }

  private Receive newReceive(
      MemorySegment buffer, DType type, long count, int source, int tag, boolean persistent) {
    long bytes = checkReceive(buffer, type, count, source, tag);
    return new Receive(this, persistent).from(source, tag).keeping(buffer, bytes, null);
  }

  private Receive newReceive(
      MemorySegment buffer, Layout layout, int source, int tag, boolean persistent) {
    checkSource(source, tag);
    Arguments.buffer(buffer, layout, "receive buffer");
    Arguments.writable(buffer, "receive buffer");
    Memory.check(buffer, "receive buffer");
    return new Receive(this, persistent)
        .from(source, tag)
        .keeping(buffer, layout.bytes(), layout.isContiguous() ? null : Runs.of(layout));
  }

  private long checkSend(MemorySegment buffer, DType type, long count, int target, int tag) {
    checkTarget(target, tag);
    return BufferChecks.readable(buffer, type, count, "send buffer");
  }

  private long checkReceive(MemorySegment buffer, DType type, long count, int source, int tag) {
    checkSource(source, tag);
    return BufferChecks.writable(buffer, type, count, "receive buffer");
  }

  private void checkTarget(int target, int tag) {
    checkOpen();
    Arguments.rank(target, size(), "target");
    Arguments.tag(tag, maxTag());
  }

  private void checkSource(int source, int tag) {
    checkOpen();
    Arguments.source(source, size());
    Arguments.wildcardTag(tag, maxTag());
  }

  /** Checks, at the start of every operation, that it can take place at all. */
  public final void checkOpen() {
    if (closed) {
      throw new IllegalStateException(name() + " is closed");
    }
    if (self.finished) {
      throw new IllegalStateException(
          self + " has returned from its body; use " + name() + " within run or call only");
    }
    checkWorld();
  }

  /** Checks that the world has not failed. */
  public final void checkWorld() {
    self.world.check(self);
  }

  /** Returns whether the world has failed; closing is local and quiet then. */
  public final boolean failed() {
    return self.world.failed();
  }

  /** Tells that a send found its ring full and is queued. */
  final void queued() {
    queued = true;
  }

  /** Brings this rank's messages forward; see {@link Mailbox#progress}. */
  public final void progress(boolean thoroughly) {
    mailbox.progress(thoroughly);
    if (queued) {
      queued = false;
      for (Outlet outlet : outlets) {
        if (outlet != null && outlet.flush()) {
          queued = true;
        }
      }
    }
  }

  /** Notes something made from this communicator that must be closed, or complete, before it. */
  public final <T> T register(T made) {
    synchronized (open) {
      if (open.size() >= crowded) {
        // Requests may be complete and never be looked at again.
        forgetComplete();
        crowded = 2 * open.size() + 64;
      }
      open.add(made);
    }
    return made;
  }

  private void forgetComplete() {
    open.removeIf(each -> each instanceof Pending pending && !pending.isOpen());
  }

  /** Forgets what {@link #register} noted. */
  public final void deregister(Object made) {
    synchronized (open) {
      int index = open.lastIndexOf(made);
      if (index >= 0) {
        open.remove(index);
      }
    }
  }

  /** Takes back what was begun and not completed when the rank's body returned. */
  public final void abandonRequests() {
    List<Object> left;
    synchronized (open) {
      left = List.copyOf(open);
    }
    for (Object each : left) {
      if (each instanceof Pending pending) {
        pending.abandon();
      }
    }
  }

  /**
   * Closes this rank's end.
   *
   * @return what is still open
   */
  public final List<Object> markClosed() {
    closed = true;
    self.quit(this);
    synchronized (open) {
      forgetComplete();
      return List.copyOf(open);
    }
  }

  public final boolean isClosed() {
    return closed;
  }
}
