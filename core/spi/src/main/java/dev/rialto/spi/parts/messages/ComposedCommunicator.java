package dev.rialto.spi.parts.messages;

import dev.rialto.spi.Capability;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Collectives;
import dev.rialto.spi.comm.Communicator;
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

/**
 * A communicator put together from messages and collectives that know nothing of each other: it
 * hands each call on to its part. What is left to the backend is how the ranks are divided, windows
 * and topologies, and the end.
 */
public abstract class ComposedCommunicator implements Communicator {
  private final PointToPoint messages;
  private final Collectives collectives;

  /** Makes a communicator of its parts, which also give its name and capabilities. */
  protected ComposedCommunicator(PointToPoint messages, Collectives collectives) {
    this.messages = messages;
    this.collectives = collectives;
  }

  @Override
  public final void run(Collective collective) {
    collectives.run(collective);
  }

  @Override
  public final Request start(Collective collective) {
    return collectives.start(collective);
  }

  @Override
  public final PersistentRequest prepare(Collective collective) {
    return collectives.prepare(collective);
  }

  @Override
  public final String name() {
    return messages.name();
  }

  @Override
  public final int rank() {
    return messages.rank();
  }

  @Override
  public final int size() {
    return messages.size();
  }

  @Override
  public final Set<Capability> capabilities() {
    return messages.capabilities();
  }

  @Override
  public final int maxTag() {
    return messages.maxTag();
  }

  @Override
  public final void send(
      MemorySegment buffer, DType type, long count, int target, int tag, SendMode mode) {
    messages.send(buffer, type, count, target, tag, mode);
  }

  @Override
  public final Status receive(MemorySegment buffer, DType type, long count, int source, int tag) {
    return messages.receive(buffer, type, count, source, tag);
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
    return messages.sendReceive(
        sendBuffer,
        sendCount,
        target,
        sendTag,
        receiveBuffer,
        receiveCount,
        source,
        receiveTag,
        type);
  }

  @Override
  public final Request isend(
      MemorySegment buffer, DType type, long count, int target, int tag, SendMode mode) {
    return messages.isend(buffer, type, count, target, tag, mode);
  }

  @Override
  public final Request ireceive(MemorySegment buffer, DType type, long count, int source, int tag) {
    return messages.ireceive(buffer, type, count, source, tag);
  }

  @Override
  public final PersistentRequest persistentSend(
      MemorySegment buffer, DType type, long count, int target, int tag, SendMode mode) {
    return messages.persistentSend(buffer, type, count, target, tag, mode);
  }

  @Override
  public final PersistentRequest persistentReceive(
      MemorySegment buffer, DType type, long count, int source, int tag) {
    return messages.persistentReceive(buffer, type, count, source, tag);
  }

  @Override
  public final Request isend(MemorySegment buffer, Layout layout, int target, int tag) {
    return messages.isend(buffer, layout, target, tag);
  }

  @Override
  public final Request ireceive(MemorySegment buffer, Layout layout, int source, int tag) {
    return messages.ireceive(buffer, layout, source, tag);
  }

  @Override
  public final PersistentRequest persistentSend(
      MemorySegment buffer, Layout layout, int target, int tag) {
    return messages.persistentSend(buffer, layout, target, tag);
  }

  @Override
  public final PersistentRequest persistentReceive(
      MemorySegment buffer, Layout layout, int source, int tag) {
    return messages.persistentReceive(buffer, layout, source, tag);
  }

  @Override
  public final Status probe(int source, int tag) {
    return messages.probe(source, tag);
  }

  @Override
  public final Optional<Status> iprobe(int source, int tag) {
    return messages.iprobe(source, tag);
  }

  @Override
  public final Message matchedProbe(int source, int tag) {
    return messages.matchedProbe(source, tag);
  }

  @Override
  public final Optional<Message> imatchedProbe(int source, int tag) {
    return messages.imatchedProbe(source, tag);
  }

  @Override
  public final void awaitAll(List<? extends Request> requests) {
    messages.awaitAll(requests);
  }

  @Override
  public final int awaitAny(List<? extends Request> requests) {
    return messages.awaitAny(requests);
  }
}
