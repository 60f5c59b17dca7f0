package dev.rialto.mpi.message;

import static dev.rialto.mpi.message.MpiRequest.Kind.RECEIVE;
import static dev.rialto.mpi.message.MpiRequest.Kind.SEND;

import dev.rialto.mpi.library.Datatypes;
import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.library.Scratch;
import dev.rialto.mpi.watch.MpiCall;
import dev.rialto.mpi.watch.Patience;
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
import java.util.function.Supplier;

/**
 * Messages from one rank to another.
 *
 * <p>All travel as bytes, so that types of one size match. Blocking operations wait inside of the
 * library, unless ranks outnumber processors: then they are begun and looked at again and again.
 */
public final class MpiMessages implements PointToPoint {
  private final MpiGroup group;

  public MpiMessages(MpiGroup group) {
    this.group = group;
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
    return group.job().maxTag();
  }

  @Override
  public void send(
      MemorySegment buffer, DType type, long count, int target, int tag, SendMode mode) {
    if (group.polls()) {
      MpiGroup.holding(buffer, buffer, () -> isend(buffer, type, count, target, tag, mode).await());
      return;
    }
    long comm = checkTarget(target, tag);
    long bytes = BufferChecks.readable(buffer, type, count, "buffer");
    long address = buffer.address();
    long datatype = Datatypes.ofBytes(bytes);
    int n = Datatypes.count(bytes);
    int code =
        switch (mode) {
          case STANDARD -> Native.call(Messages.SEND, address, n, datatype, target, tag, comm);
          case SYNCHRONOUS -> Native.call(Messages.SSEND, address, n, datatype, target, tag, comm);
          case READY -> Native.call(Messages.RSEND, address, n, datatype, target, tag, comm);
        };
    BufferChecks.used(buffer);
    if (code != 0) {
      throw group.failure(code, new MpiCall("send", target, tag, bytes));
    }
  }

  @Override
  public Status receive(MemorySegment buffer, DType type, long count, int source, int tag) {
    if (group.polls()) {
      Status[] status = {Status.EMPTY};
      MpiGroup.holding(
          buffer, buffer, () -> status[0] = ireceive(buffer, type, count, source, tag).await());
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
            source(source),
            tag(tag),
            comm,
            scratch.status());
    BufferChecks.used(buffer);
    if (code != 0) {
      throw group.failure(code, new MpiCall("receive", source, tag, bytes));
    }
    return scratch.decoded();
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
            sendTag,
            receiveBuffer.address(),
            Datatypes.count(received),
            Datatypes.ofBytes(received),
            source(source),
            tag(receiveTag),
            group.handle(),
            scratch.status());
    BufferChecks.used(sendBuffer);
    BufferChecks.used(receiveBuffer);
    if (code != 0) {
      throw group.failure(code, new MpiCall("sendReceive", source, receiveTag, received));
    }
    return scratch.decoded();
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
    return begin(function, SEND, false, Payload.of(buffer, bytes), target, tag);
  }

  @Override
  public Request ireceive(MemorySegment buffer, DType type, long count, int source, int tag) {
    long bytes = checkReceive(buffer, type, count, source, tag);
    return begin(Messages.IRECV, RECEIVE, false, Payload.of(buffer, bytes), source, tag);
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
    return begin(function, SEND, true, Payload.of(buffer, bytes), target, tag);
  }

  @Override
  public PersistentRequest persistentReceive(
      MemorySegment buffer, DType type, long count, int source, int tag) {
    long bytes = checkReceive(buffer, type, count, source, tag);
    return begin(Messages.RECV_INIT, RECEIVE, true, Payload.of(buffer, bytes), source, tag);
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
    int code =
        Native.call(
            function,
            payload.address(),
            payload.count(),
            payload.datatype(),
            kind == SEND ? peer : source(peer),
            kind == SEND ? tag : tag(tag),
            group.handle(),
            Scratch.get().request());
    group.check(code, operation);
    return new MpiRequest(group, operation, kind, persistent, payload.staging(), payload.memory());
  }

  @Override
  public Status probe(int source, int tag) {
    checkWildcards(source, tag);
    if (group.polls()) {
      return poll("probe", source, tag, () -> iprobe(source, tag));
    }
    Scratch scratch = Scratch.get();
    group.check(
        Native.call(Messages.PROBE, source(source), tag(tag), group.handle(), scratch.status()),
        new MpiCall("probe", source, tag, 0));
    return scratch.decoded();
  }

  @Override
  public Optional<Status> iprobe(int source, int tag) {
    checkWildcards(source, tag);
    Scratch scratch = Scratch.get();
    group.check(
        Native.call(
            Messages.IPROBE,
            source(source),
            tag(tag),
            group.handle(),
            scratch.flag(),
            scratch.status()),
        new MpiCall("iprobe", source, tag, 0));
    return Native.getInt(scratch.flag()) == 0 ? Optional.empty() : Optional.of(scratch.decoded());
  }

  @Override
  public Message matchedProbe(int source, int tag) {
    checkWildcards(source, tag);
    if (group.polls()) {
      return poll("matchedProbe", source, tag, () -> imatchedProbe(source, tag));
    }
    Scratch scratch = Scratch.get();
    group.check(
        Native.call(
            Messages.MPROBE,
            source(source),
            tag(tag),
            group.handle(),
            scratch.request(),
            scratch.status()),
        new MpiCall("matchedProbe", source, tag, 0));
    return new MpiMessage(group, scratch);
  }

  @Override
  public Optional<Message> imatchedProbe(int source, int tag) {
    checkWildcards(source, tag);
    Scratch scratch = Scratch.get();
    group.check(
        Native.call(
            Messages.IMPROBE,
            source(source),
            tag(tag),
            group.handle(),
            scratch.flag(),
            scratch.request(),
            scratch.status()),
        new MpiCall("imatchedProbe", source, tag, 0));
    return Native.getInt(scratch.flag()) == 0
        ? Optional.empty()
        : Optional.of(new MpiMessage(group, scratch));
  }

  private <T> T poll(String name, int source, int tag, Supplier<Optional<T>> look) {
    Patience patience = group.patience(new MpiCall(name, source, tag, 0), false);
    try {
      while (true) {
        Optional<T> found = look.get();
        if (found.isPresent()) {
          return found.get();
        }
        patience.pause();
      }
    } finally {
      patience.end();
    }
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

  private static int source(int source) {
    return source == ANY_SOURCE ? Mpi.CONSTANTS.anySource() : source;
  }

  private static int tag(int tag) {
    return tag == ANY_TAG ? Mpi.CONSTANTS.anyTag() : tag;
  }
}
