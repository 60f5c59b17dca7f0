package dev.rialto.mpi.message;

import static dev.rialto.mpi.message.MpiRequest.Kind.RECEIVE;
import static dev.rialto.mpi.message.MpiRequest.Kind.SEND;

import dev.rialto.mpi.library.Datatypes;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.library.Scratch;
import dev.rialto.mpi.watch.MpiCall;
import dev.rialto.mpi.world.MpiGroup;
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
import java.lang.invoke.MethodHandle;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntSupplier;

/**
 * Messages from one rank to another.
 *
 * <p>All travel as bytes; {@linkplain TypedTags tags} tell their types. Blocking operations wait
 * inside of the library, unless ranks outnumber processors: then they are begun and looked at again
 * and again.
 */
public final class MpiMessages implements PointToPoint {
  private final MpiGroup group;
  private final MpiProbes probes;

  public MpiMessages(MpiGroup group) {
    this.group = group;
    this.probes = new MpiProbes(group);
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
    return group.job().capabilities();
  }

  @Override
  public int maxTag() {
    return TypedTags.LARGEST;
  }

  @Override
  public void send(
      MemorySegment buffer, DType type, long count, int target, int tag, SendMode mode) {
    if (group.polls()) {
      MpiGroup.holding(
          buffer, buffer, () -> complete(isend(buffer, type, count, target, tag, mode)));
      return;
    }
    long comm = checkTarget(target, tag);
    long bytes = BufferChecks.readable(buffer, type, count, "buffer");
    long address = buffer.address();
    long datatype = Datatypes.ofBytes(bytes);
    int n = Datatypes.count(bytes);
    int typed = TypedTags.of(tag, type);
    int code =
        switch (mode) {
          case STANDARD -> Native.call(Messages.SEND, address, n, datatype, target, typed, comm);
          case SYNCHRONOUS ->
              Native.call(Messages.SSEND, address, n, datatype, target, typed, comm);
          case READY -> Native.call(Messages.RSEND, address, n, datatype, target, typed, comm);
        };
    BufferChecks.used(buffer);
    if (code != 0) {
      throw group.failure(code, new MpiCall("send", target, tag, bytes));
    }
  }

  private static Status complete(Request call) {
    return call instanceof MpiRequest request ? request.complete() : call.await();
  }

  @Override
  public Status receive(MemorySegment buffer, DType type, long count, int source, int tag) {
    if (group.polls()) {
      Status[] status = {Status.EMPTY};
      MpiGroup.holding(
          buffer, buffer, () -> status[0] = complete(ireceive(buffer, type, count, source, tag)));
      return status[0];
    }
    long comm = checkWildcards(source, tag);
    long bytes = BufferChecks.writable(buffer, type, count, "buffer");
    Scratch scratch = Scratch.get();
    int code =
        Native.call(
            Messages.RECV,
            buffer.address(),
            Datatypes.count(bytes),
            Datatypes.ofBytes(bytes),
            MpiProbes.source(source),
            TypedTags.of(tag, type),
            comm,
            scratch.status());
    BufferChecks.used(buffer);
    if (code != 0) {
      throw group.failure(code, new MpiCall("receive", source, tag, bytes));
    }
    return scratch.decoded(TypedTags.MASK);
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
    long sent = checkSend(sendBuffer, type, sendCount, target, sendTag);
    long received = checkReceive(receiveBuffer, type, receiveCount, source, receiveTag);
    Arguments.disjoint(sendBuffer, sent, receiveBuffer, received);
    // The send comes first: into a receive that waits for a message of the rank itself, Open MPI
    // 4.1 copies what fits and does not tell that there was more.
    if (group.polls() || target == rank()) {
      Status[] status = {Status.EMPTY};
      MpiGroup.holding(
          sendBuffer,
          receiveBuffer,
          () -> {
            Request send = isend(sendBuffer, type, sendCount, target, sendTag);
            try {
              status[0] = receive(receiveBuffer, type, receiveCount, source, receiveTag);
            } finally {
              var _ = send.await();
            }
          });
      return status[0];
    }
    Scratch scratch = Scratch.get();
    int code =
        Native.call(
            Messages.SENDRECV,
            sendBuffer.address(),
            Datatypes.count(sent),
            Datatypes.ofBytes(sent),
            target,
            TypedTags.of(sendTag, type),
            receiveBuffer.address(),
            Datatypes.count(received),
            Datatypes.ofBytes(received),
            MpiProbes.source(source),
            TypedTags.of(receiveTag, type),
            group.handle(),
            scratch.status());
    BufferChecks.used(sendBuffer);
    BufferChecks.used(receiveBuffer);
    if (code != 0) {
      throw group.failure(code, new MpiCall("sendReceive", source, receiveTag, received));
    }
    return scratch.decoded(TypedTags.MASK);
  }

  @Override
  public Request isend(
      MemorySegment buffer, DType type, long count, int target, int tag, SendMode mode) {
    MethodHandle function =
        switch (mode) {
          case STANDARD -> Messages.ISEND;
          case SYNCHRONOUS -> Messages.ISSEND;
          case READY -> Messages.IRSEND;
        };
    long bytes = checkSend(buffer, type, count, target, tag);
    return begin(function, SEND, false, Payload.of(buffer, type, bytes), target, tag);
  }

  @Override
  public Request ireceive(MemorySegment buffer, DType type, long count, int source, int tag) {
    long bytes = checkReceive(buffer, type, count, source, tag);
    return begin(Messages.IRECV, RECEIVE, false, Payload.of(buffer, type, bytes), source, tag);
  }

  @Override
  public PersistentRequest persistentSend(
      MemorySegment buffer, DType type, long count, int target, int tag, SendMode mode) {
    MethodHandle function =
        switch (mode) {
          case STANDARD -> Messages.SEND_INIT;
          case SYNCHRONOUS -> Messages.SSEND_INIT;
          case READY -> Messages.RSEND_INIT;
        };
    long bytes = checkSend(buffer, type, count, target, tag);
    return begin(function, SEND, true, Payload.of(buffer, type, bytes), target, tag);
  }

  @Override
  public PersistentRequest persistentReceive(
      MemorySegment buffer, DType type, long count, int source, int tag) {
    long bytes = checkReceive(buffer, type, count, source, tag);
    return begin(Messages.RECV_INIT, RECEIVE, true, Payload.of(buffer, type, bytes), source, tag);
  }

  @Override
  public Request isend(MemorySegment buffer, Layout layout, int target, int tag) {
    return begin(Messages.ISEND, SEND, false, toSend(buffer, layout, target, tag), target, tag);
  }

  @Override
  public Request ireceive(MemorySegment buffer, Layout layout, int source, int tag) {
    Payload payload = toReceive(buffer, layout, source, tag);
    return begin(Messages.IRECV, RECEIVE, false, payload, source, tag);
  }

  @Override
  public PersistentRequest persistentSend(
      MemorySegment buffer, Layout layout, int target, int tag) {
    return begin(Messages.SEND_INIT, SEND, true, toSend(buffer, layout, target, tag), target, tag);
  }

  @Override
  public PersistentRequest persistentReceive(
      MemorySegment buffer, Layout layout, int source, int tag) {
    Payload payload = toReceive(buffer, layout, source, tag);
    return begin(Messages.RECV_INIT, RECEIVE, true, payload, source, tag);
  }

  private MpiRequest begin(
      MethodHandle function,
      MpiRequest.Kind kind,
      boolean persistent,
      Payload payload,
      int peer,
      int tag) {
    String name = kind == SEND ? "send" : "receive";
    MpiCall operation = new MpiCall(name, peer, tag, payload.bytes());
    int rank = kind == SEND ? peer : MpiProbes.source(peer);
    long comm = group.handle();
    IntSupplier call =
        () ->
            Native.call(
                function,
                payload.address(),
                payload.count(),
                payload.datatype(),
                rank,
                TypedTags.of(tag, payload.type()),
                comm,
                Scratch.get().request());
    boolean met = false;
    if (kind == RECEIVE && !persistent) {
      met = probes.receive(operation, payload, call);
    } else {
      group.check(call.getAsInt(), operation);
    }
    return new MpiRequest(group, operation, kind, persistent, payload, probes, met);
  }

  @Override
  public Status probe(int source, int tag) {
    checkWildcards(source, tag);
    return probes.probe(source, tag);
  }

  @Override
  public Optional<Status> iprobe(int source, int tag) {
    checkWildcards(source, tag);
    return probes.iprobe(source, tag);
  }

  @Override
  public Message matchedProbe(int source, int tag) {
    checkWildcards(source, tag);
    return probes.matchedProbe(source, tag);
  }

  @Override
  public Optional<Message> imatchedProbe(int source, int tag) {
    checkWildcards(source, tag);
    return probes.imatchedProbe(source, tag).map(found -> found);
  }

  private Payload toSend(MemorySegment buffer, Layout layout, int target, int tag) {
    checkTarget(target, tag);
    Arguments.buffer(buffer, layout, "buffer");
    BufferChecks.usable(buffer, layout.span(), "buffer");
    return Payload.of(buffer, layout);
  }

  private Payload toReceive(MemorySegment buffer, Layout layout, int source, int tag) {
    checkWildcards(source, tag);
    Arguments.buffer(buffer, layout, "buffer");
    BufferChecks.usable(buffer, layout.span(), "buffer");
    if (layout.count() > 0) {
      Arguments.writable(buffer, "buffer");
    }
    return Payload.of(buffer, layout);
  }

  /** Checks where a message goes, and returns the library's handle of the communicator. */
  private long checkTarget(int target, int tag) {
    long comm = group.handle();
    Arguments.rank(target, size(), "target");
    Arguments.tag(tag, maxTag());
    return comm;
  }

  private long checkSend(MemorySegment buffer, DType type, long count, int target, int tag) {
    checkTarget(target, tag);
    return BufferChecks.readable(buffer, type, count, "buffer");
  }

  private long checkReceive(MemorySegment buffer, DType type, long count, int source, int tag) {
    checkWildcards(source, tag);
    return BufferChecks.writable(buffer, type, count, "buffer");
  }

  /** Checks where a message comes from, and returns the library's handle of the communicator. */
  private long checkWildcards(int source, int tag) {
    long comm = group.handle();
    Arguments.source(source, size());
    Arguments.wildcardTag(tag, maxTag());
    return comm;
  }
}
