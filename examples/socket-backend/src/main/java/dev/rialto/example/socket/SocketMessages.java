package dev.rialto.example.socket;

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
import dev.rialto.spi.parts.messages.CompletedRequest;
import dev.rialto.spi.parts.messages.LayoutMessages;
import dev.rialto.spi.parts.messages.RepeatedRequest;
import dev.rialto.system.HostMemory;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import java.util.Set;

/** Point-to-point messages: checks arguments, then hands over to switchboard and mailbox. */
final class SocketMessages implements PointToPoint {
  private final Switchboard board;
  private final Group group;
  private final Mailbox mailbox;
  private final LayoutMessages layouts = new LayoutMessages(this);

  SocketMessages(Switchboard board, Group group) {
    this.board = board;
    this.group = group;
    this.mailbox = board.mailbox();
  }

  @Override
  public String name() {
    return group.name();
  }

  @Override
  public int rank() {
    return group.rank();
  }

  @Override
  public int size() {
    return group.size();
  }

  @Override
  public Set<Capability> capabilities() {
    return SocketBackend.COMMUNICATION;
  }

  private void transmit(int target, int tag, MemorySegment bytes) {
    if (bytes.byteSize() > Frame.LONGEST) {
      throw new IllegalArgumentException(
          "a message of %s bytes; send at most %s at once"
              .formatted(bytes.byteSize(), Frame.LONGEST));
    }
    mailbox.check(group);
    Frame frame = new Frame(group.context(), rank(), tag, bytes);
    if (!board.send(group.members().get(target), frame)) {
      mailbox.check(group);
    }
  }

  @Override
  public void send(
      MemorySegment buffer, DType type, long count, int target, int tag, SendMode mode) {
    if (mode != SendMode.STANDARD) {
      throw Capability.SEND_MODES.unsupported(name());
    }
    checkTarget(target, tag);
    transmit(target, tag, toSend(buffer, type, count));
  }

  private void checkTarget(int target, int tag) {
    Arguments.rank(target, size(), "target");
    Arguments.tag(tag, maxTag());
  }

  private void checkSource(int source, int tag) {
    Arguments.source(source, size());
    Arguments.wildcardTag(tag, maxTag());
  }

  /** Checks a buffer to be read and returns what of it will be. */
  private static MemorySegment toSend(MemorySegment buffer, DType type, long count) {
    long bytes = Arguments.buffer(buffer, type, count, "send buffer");
    HostMemory.requireReadable(buffer, bytes, "send buffer");
    return buffer.asSlice(0, bytes);
  }

  /** Checks a buffer to be written and returns what of it can be. */
  static MemorySegment toReceive(MemorySegment buffer, DType type, long count) {
    long bytes = Arguments.buffer(buffer, type, count, "receive buffer");
    HostMemory.requireWritable(buffer, bytes, "receive buffer");
    return buffer.asSlice(0, bytes);
  }

  @Override
  public Request isend(
      MemorySegment buffer, DType type, long count, int target, int tag, SendMode mode) {
    send(buffer, type, count, target, tag, mode);
    // The link took the bytes before it returned.
    return CompletedRequest.REQUEST;
  }

  @Override
  public Request ireceive(MemorySegment buffer, DType type, long count, int source, int tag) {
    checkSource(source, tag);
    MemorySegment room = toReceive(buffer, type, count);
    mailbox.check(group);
    Receive receive = new Receive(mailbox, group, source, tag, room);
    mailbox.post(receive);
    return receive;
  }

  @Override
  public PersistentRequest persistentSend(
      MemorySegment buffer, DType type, long count, int target, int tag, SendMode mode) {
    if (mode != SendMode.STANDARD) {
      throw Capability.SEND_MODES.unsupported(name());
    }
    checkTarget(target, tag);
    toSend(buffer, type, count);
    mailbox.check(group);
    return new RepeatedRequest(
        "a send to rank " + target, () -> isend(buffer, type, count, target, tag, mode));
  }

  @Override
  public PersistentRequest persistentReceive(
      MemorySegment buffer, DType type, long count, int source, int tag) {
    checkSource(source, tag);
    toReceive(buffer, type, count);
    mailbox.check(group);
    return new RepeatedRequest(
        "a receive from rank " + source, () -> ireceive(buffer, type, count, source, tag));
  }

  @Override
  public Status receive(MemorySegment buffer, DType type, long count, int source, int tag) {
    return ireceive(buffer, type, count, source, tag).await();
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
    checkTarget(target, sendTag);
    MemorySegment bytes = toSend(sendBuffer, type, sendCount);
    try (Request receive = ireceive(receiveBuffer, type, receiveCount, source, receiveTag)) {
      transmit(target, sendTag, bytes);
      return receive.await();
    }
  }

  @Override
  public Request isend(MemorySegment buffer, Layout layout, int target, int tag) {
    return layouts.isend(buffer, layout, target, tag);
  }

  @Override
  public Request ireceive(MemorySegment buffer, Layout layout, int source, int tag) {
    return layouts.ireceive(buffer, layout, source, tag);
  }

  @Override
  public PersistentRequest persistentSend(
      MemorySegment buffer, Layout layout, int target, int tag) {
    checkTarget(target, tag);
    mailbox.check(group);
    return layouts.persistentSend(buffer, layout, target, tag);
  }

  @Override
  public PersistentRequest persistentReceive(
      MemorySegment buffer, Layout layout, int source, int tag) {
    checkSource(source, tag);
    mailbox.check(group);
    return layouts.persistentReceive(buffer, layout, source, tag);
  }

  @Override
  public Status probe(int source, int tag) {
    return look(source, tag, false, Mailbox.FOREVER).orElseThrow().status();
  }

  @Override
  public Optional<Status> iprobe(int source, int tag) {
    return look(source, tag, false, 0).map(Frame::status);
  }

  @Override
  public Message matchedProbe(int source, int tag) {
    return new TakenMessage(group, look(source, tag, true, Mailbox.FOREVER).orElseThrow());
  }

  @Override
  public Optional<Message> imatchedProbe(int source, int tag) {
    return look(source, tag, true, 0).map(frame -> new TakenMessage(group, frame));
  }

  private Optional<Frame> look(int source, int tag, boolean take, long nanos) {
    checkSource(source, tag);
    return Optional.ofNullable(
        mailbox.await(
            group,
            source,
            () -> take ? mailbox.take(group, source, tag) : mailbox.find(group, source, tag),
            nanos));
  }
}
