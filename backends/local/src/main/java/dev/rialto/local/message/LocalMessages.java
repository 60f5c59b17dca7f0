package dev.rialto.local.message;

import dev.rialto.local.memory.BufferChecks;
import dev.rialto.local.memory.Memory;
import dev.rialto.local.memory.Runs;
import dev.rialto.local.rank.Rank;
import dev.rialto.local.world.LocalCommunicator;
import dev.rialto.local.world.Member;
import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Arguments;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.PointToPoint.Message;
import dev.rialto.spi.comm.PointToPoint.SendMode;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a {@link LocalCommunicator}.
 *
 * <p>A short message goes straight into its slot. Everything else is a {@link Send} or {@link
 * Receive}; blocking calls of the rank's own thread use the same two again and again.
 */
public final class LocalMessages implements PointToPoint {
  public final Member member;
  private final Rank self;
  private final int rank;
  private final int size;
  final Mailbox mailbox;
  private final @Nullable Outlet[] outlets;
  private final Receive ownReceive;
  private final @Nullable Send[] ownSends;
  private volatile boolean queued;

  public LocalMessages(Member member) {
    this.member = member;
    this.self = member.self;
    this.rank = member.rank();
    this.size = member.size();
    this.mailbox = member.group.mailbox(member.rank());
    this.outlets = new Outlet[size];
    this.ownSends = new Send[size];
    this.ownReceive = new Receive(this, false);
  }

  @Override
  public String name() {
    return member.name();
  }

  @Override
  public int rank() {
    return rank;
  }

  @Override
  public int size() {
    return size;
  }

  @Override
  public Set<Capability> capabilities() {
    return LocalCommunicator.CAPABILITIES;
  }

  @Override
  public int maxTag() {
    return Integer.MAX_VALUE;
  }

  @Override
  public void send(
      MemorySegment buffer, DType type, long count, int target, int tag, SendMode mode) {
    long bytes = checkSend(buffer, type, count, target, tag);
    if (mode != SendMode.SYNCHRONOUS && bytes <= Ring.INLINE) {
      if (outletTo(target).offer(buffer, type, bytes, tag)) {
        return;
      }
    }
    Send send = beginSend(buffer, type, bytes, target, tag, mode);
    var _ = send.conclude();
  }

  @Override
  public Status receive(MemorySegment buffer, DType type, long count, int source, int tag) {
    long bytes = checkReceive(buffer, type, count, source, tag);
    return beginReceive(buffer, type, bytes, source, tag).conclude();
  }

  @Override
  public Status sendReceive(
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
    Arguments.disjoint(sendBuffer, sendBytes, receiveBuffer, receiveBytes);
    Receive receive = beginReceive(receiveBuffer, type, receiveBytes, source, receiveTag);
    boolean sent = false;
    try {
      Send send = beginSend(sendBuffer, type, sendBytes, target, sendTag, SendMode.STANDARD);
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
  public Request isend(
      MemorySegment buffer, DType type, long count, int target, int tag, SendMode mode) {
    return newSend(buffer, type, count, target, tag, mode, false).begin();
  }

  @Override
  public Request ireceive(MemorySegment buffer, DType type, long count, int source, int tag) {
    return newReceive(buffer, type, count, source, tag, false).begin();
  }

  @Override
  public PersistentRequest persistentSend(
      MemorySegment buffer, DType type, long count, int target, int tag, SendMode mode) {
    return member.register(newSend(buffer, type, count, target, tag, mode, true));
  }

  @Override
  public PersistentRequest persistentReceive(
      MemorySegment buffer, DType type, long count, int source, int tag) {
    return member.register(newReceive(buffer, type, count, source, tag, true));
  }

  @Override
  public Request isend(MemorySegment buffer, Layout layout, int target, int tag) {
    return newSend(buffer, layout, target, tag, false).begin();
  }

  @Override
  public Request ireceive(MemorySegment buffer, Layout layout, int source, int tag) {
    return newReceive(buffer, layout, source, tag, false).begin();
  }

  @Override
  public PersistentRequest persistentSend(
      MemorySegment buffer, Layout layout, int target, int tag) {
    return member.register(newSend(buffer, layout, target, tag, true));
  }

  @Override
  public PersistentRequest persistentReceive(
      MemorySegment buffer, Layout layout, int source, int tag) {
    return member.register(newReceive(buffer, layout, source, tag, true));
  }

  @Override
  public Status probe(int source, int tag) {
    return awaitMessage(source, tag, false).status();
  }

  @Override
  public Optional<Status> iprobe(int source, int tag) {
    return find(source, tag, false).map(Mailbox.Found::status);
  }

  @Override
  public Message matchedProbe(int source, int tag) {
    return new LocalMessage(this, awaitMessage(source, tag, true));
  }

  @Override
  public Optional<Message> imatchedProbe(int source, int tag) {
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
  public int awaitAny(List<? extends Request> requests) {
    if (requests.isEmpty()) {
      throw new IllegalArgumentException("awaitAny of no requests would never return; give one");
    }
    AnyOf any = new AnyOf(this, requests);
    self.await(any);
    return any.index();
  }

  private Send beginSend(
      MemorySegment buffer, DType type, long bytes, int target, int tag, SendMode mode) {
    boolean own = self.isOwnThread();
    Send send = own ? ownSends[target] : null;
    if (send == null) {
      send = new Send(this, outletTo(target), target, false);
      if (own) {
        ownSends[target] = send;
      }
    }
    send.with(tag, mode).of(buffer, type, bytes).launch();
    return send;
  }

  private Receive beginReceive(MemorySegment buffer, DType type, long bytes, int source, int tag) {
    Receive receive = self.isOwnThread() ? ownReceive : new Receive(this, false);
    receive.from(source, tag).into(buffer, type, bytes).launch();
    return receive;
  }

  private Outlet outletTo(int target) {
    Outlet outlet = outlets[target];
    if (outlet == null) {
      outlet = member.group.mailbox(target).outletOf(rank);
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
        .keeping(buffer, type, bytes, null);
  }

  private Send newSend(
      MemorySegment buffer, Layout layout, int target, int tag, boolean persistent) {
    checkTarget(target, tag);
    Arguments.buffer(buffer, layout, "send buffer");
    Memory.check(buffer, "send buffer");
    return new Send(this, outletTo(target), target, persistent)
        .with(tag, SendMode.STANDARD)
        .keeping(
            buffer, layout.type(), layout.bytes(), layout.isContiguous() ? null : Runs.of(layout));
  }

  private Receive newReceive(
      MemorySegment buffer, DType type, long count, int source, int tag, boolean persistent) {
    long bytes = checkReceive(buffer, type, count, source, tag);
    return new Receive(this, persistent).from(source, tag).keeping(buffer, type, bytes, null);
  }

  private Receive newReceive(
      MemorySegment buffer, Layout layout, int source, int tag, boolean persistent) {
    checkSource(source, tag);
    Arguments.buffer(buffer, layout, "receive buffer");
    Arguments.writable(buffer, "receive buffer");
    Memory.check(buffer, "receive buffer");
    return new Receive(this, persistent)
        .from(source, tag)
        .keeping(
            buffer, layout.type(), layout.bytes(), layout.isContiguous() ? null : Runs.of(layout));
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
    member.checkOpen();
    Arguments.rank(target, size, "target");
    Arguments.tag(tag, maxTag());
  }

  private void checkSource(int source, int tag) {
    member.checkOpen();
    Arguments.source(source, size);
    Arguments.wildcardTag(tag, maxTag());
  }

  /** Tells that a send found its ring full and is queued. */
  void queued() {
    queued = true;
  }

  /** Brings this rank's messages forward; see {@link Mailbox#progress}. */
  public void progress(boolean thoroughly) {
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
}
