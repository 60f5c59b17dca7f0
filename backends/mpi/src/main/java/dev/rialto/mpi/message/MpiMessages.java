package dev.rialto.mpi.message;

import static dev.rialto.mpi.message.MpiRequest.Kind.RECEIVE;
import static dev.rialto.mpi.message.MpiRequest.Kind.SEND;

import dev.rialto.mpi.library.Datatypes;
import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.library.Scratch;
import dev.rialto.mpi.watch.MpiCall;
import dev.rialto.mpi.watch.Patience;
import dev.rialto.mpi.world.MpiCommunicator;
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
import org.jspecify.annotations.Nullable;

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
    long bytes = checkSend(buffer, type, count, target, tag);
    long address = buffer.address();
    long datatype = Datatypes.ofBytes(bytes);
    int n = Datatypes.count(bytes);
    int code =
        switch (mode) {
          case STANDARD ->
              Native.call(Messages.SEND, address, n, datatype, target, tag, group.handle());
          case SYNCHRONOUS ->
              Native.call(Messages.SSEND, address, n, datatype, target, tag, group.handle());
          case READY ->
              Native.call(Messages.RSEND, address, n, datatype, target, tag, group.handle());
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
    long bytes = checkReceive(buffer, type, count, source, tag);
    Scratch scratch = Scratch.get();
    int code =
        Native.call(
            Messages.RECV,
            buffer.address(),
            Datatypes.count(bytes),
            Datatypes.ofBytes(bytes),
            source(source),
            tag(tag),
            group.handle(),
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
    long bytes = checkSend(buffer, type, count, target, tag);
    MethodHandle function =
        switch (mode) {
          case STANDARD -> Messages.ISEND;
          case SYNCHRONOUS -> Messages.ISSEND;
          case READY -> Messages.IRSEND;
        };
    long datatype = Datatypes.ofBytes(bytes);
    return send(
        function,
        false,
        staged(buffer, bytes),
        buffer,
        0,
        Datatypes.count(bytes),
        datatype,
        target,
        tag,
        bytes);
  }

  @Override
  public Request ireceive(MemorySegment buffer, DType type, long count, int source, int tag) {
    long bytes = checkReceive(buffer, type, count, source, tag);
    return receive(
        Messages.IRECV,
        false,
        staged(buffer, bytes),
        buffer,
        0,
        Datatypes.count(bytes),
        Datatypes.ofBytes(bytes),
        source,
        tag,
        bytes);
  }

  @Override
  public PersistentRequest persistentSend(
      MemorySegment buffer, DType type, long count, int target, int tag, SendMode mode) {
    long bytes = checkSend(buffer, type, count, target, tag);
    MethodHandle function =
        switch (mode) {
          case STANDARD -> Messages.SEND_INIT;
          case SYNCHRONOUS -> Messages.SSEND_INIT;
          case READY -> Messages.RSEND_INIT;
        };
    long datatype = Datatypes.ofBytes(bytes);
    return send(
        function,
        true,
        staged(buffer, bytes),
        buffer,
        0,
        Datatypes.count(bytes),
        datatype,
        target,
        tag,
        bytes);
  }

  @Override
  public PersistentRequest persistentReceive(
      MemorySegment buffer, DType type, long count, int source, int tag) {
    long bytes = checkReceive(buffer, type, count, source, tag);
    return receive(
        Messages.RECV_INIT,
        true,
        staged(buffer, bytes),
        buffer,
        0,
        Datatypes.count(bytes),
        Datatypes.ofBytes(bytes),
        source,
        tag,
        bytes);
  }

  @Override
  public Request isend(MemorySegment buffer, Layout layout, int target, int tag) {
    return sendLayout(Messages.ISEND, false, buffer, layout, target, tag);
  }

  @Override
  public Request ireceive(MemorySegment buffer, Layout layout, int source, int tag) {
    return receiveLayout(Messages.IRECV, false, buffer, layout, source, tag);
  }

  @Override
  public PersistentRequest persistentSend(
      MemorySegment buffer, Layout layout, int target, int tag) {
    return sendLayout(Messages.SEND_INIT, true, buffer, layout, target, tag);
  }

  @Override
  public PersistentRequest persistentReceive(
      MemorySegment buffer, Layout layout, int source, int tag) {
    return receiveLayout(Messages.RECV_INIT, true, buffer, layout, source, tag);
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

  private MpiRequest sendLayout(
      MethodHandle function,
      boolean persistent,
      MemorySegment buffer,
      Layout layout,
      int target,
      int tag) {
    group.handle();
    Arguments.rank(target, size(), "target");
    Arguments.tag(tag, maxTag());
    Arguments.buffer(buffer, layout, "buffer");
    BufferChecks.usable(buffer, layout.span(), "buffer");
    long start = Datatypes.start(layout);
    long datatype = Datatypes.of(layout);
    return send(
        function,
        persistent,
        staged(buffer, layout),
        buffer,
        start,
        1,
        datatype,
        target,
        tag,
        layout.bytes());
  }

  private MpiRequest receiveLayout(
      MethodHandle function,
      boolean persistent,
      MemorySegment buffer,
      Layout layout,
      int source,
      int tag) {
    checkWildcards(source, tag);
    Arguments.buffer(buffer, layout, "buffer");
    BufferChecks.usable(buffer, layout.span(), "buffer");
    if (layout.count() > 0) {
      Arguments.writable(buffer, "buffer");
    }
    long start = Datatypes.start(layout);
    long datatype = Datatypes.of(layout);
    return receive(
        function,
        persistent,
        staged(buffer, layout),
        buffer,
        start,
        1,
        datatype,
        source,
        tag,
        layout.bytes());
  }

  private MpiRequest send(
      MethodHandle function,
      boolean persistent,
      @Nullable StagedMessage staging,
      MemorySegment buffer,
      long start,
      int count,
      long datatype,
      int target,
      int tag,
      long bytes) {
    MpiCall operation = new MpiCall("send", target, tag, bytes);
    MemorySegment used = staging == null ? buffer : staging.memory();
    long address = used.address() + start;
    long request = Scratch.get().request();
    group.check(
        Native.call(function, address, count, datatype, target, tag, group.handle(), request),
        operation);
    return new MpiRequest(group, operation, SEND, persistent, staging, used);
  }

  private MpiRequest receive(
      MethodHandle function,
      boolean persistent,
      @Nullable StagedMessage staging,
      MemorySegment buffer,
      long start,
      int count,
      long datatype,
      int source,
      int tag,
      long bytes) {
    MpiCall operation = new MpiCall("receive", source, tag, bytes);
    MemorySegment used = staging == null ? buffer : staging.memory();
    long address = used.address() + start;
    long request = Scratch.get().request();
    group.check(
        Native.call(
            function, address, count, datatype, source(source), tag(tag), group.handle(), request),
        operation);
    return new MpiRequest(group, operation, RECEIVE, persistent, staging, used);
  }

  /** Returns a loaded copy for the library to use, if messages are staged. */
  private static @Nullable StagedMessage staged(MemorySegment buffer, long bytes) {
    return staged(buffer, bytes, action -> action.take(0, bytes));
  }

  private static @Nullable StagedMessage staged(MemorySegment buffer, Layout layout) {
    return staged(buffer, layout.span(), action -> layout.forEachRun(action::take));
  }

  private static @Nullable StagedMessage staged(
      MemorySegment buffer, long bytes, StagedMessage.Parts parts) {
    // Memory of a GPU, which some libraries take, cannot be copied here.
    if (!StagedMessage.ON || bytes == 0 || MpiCommunicator.takesGpuMemory()) {
      return null;
    }
    StagedMessage staging = new StagedMessage(buffer, bytes, parts);
    staging.load();
    return staging;
  }

  private long checkSend(MemorySegment buffer, DType type, long count, int target, int tag) {
    group.handle();
    Arguments.rank(target, size(), "target");
    Arguments.tag(tag, maxTag());
    return BufferChecks.readable(buffer, type, count, "buffer");
  }

  private long checkReceive(MemorySegment buffer, DType type, long count, int source, int tag) {
    checkWildcards(source, tag);
    return BufferChecks.writable(buffer, type, count, "buffer");
  }

  private void checkWildcards(int source, int tag) {
    group.handle();
    Arguments.source(source, size());
    Arguments.wildcardTag(tag, maxTag());
  }

  private static int source(int source) {
    return source == ANY_SOURCE ? Mpi.CONSTANTS.anySource() : source;
  }

  private static int tag(int tag) {
    return tag == ANY_TAG ? Mpi.CONSTANTS.anyTag() : tag;
  }
}
