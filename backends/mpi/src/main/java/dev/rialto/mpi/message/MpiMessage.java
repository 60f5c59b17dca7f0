package dev.rialto.mpi.message;

import dev.rialto.mpi.library.Datatypes;
import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.library.Scratch;
import dev.rialto.mpi.watch.MpiCall;
import dev.rialto.mpi.world.MpiGroup;
import dev.rialto.spi.comm.PointToPoint.Message;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.error.TruncationException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/** A message that a matched probe took. */
final class MpiMessage implements Message {
  private final MpiGroup group;
  private final long handle;
  private final Status status;
  private final int libraryTag;
  private boolean received;

  /** Takes the message over that a probe has left in {@code scratch}. */
  MpiMessage(MpiGroup group, Scratch scratch) {
    this.group = group;
    this.handle = Mpi.getHandle(scratch.request());
    this.libraryTag = scratch.tag();
    this.status = scratch.decoded(TypedTags.MASK);
  }

  /** Takes the first message that has come, if there is one. */
  static @Nullable MpiMessage take(MpiGroup group, int source, int tag, int libraryTag) {
    Scratch scratch = Scratch.get();
    group.check(
        Native.call(
            Messages.IMPROBE,
            MpiProbes.source(source),
            libraryTag,
            group.handleInCall(),
            scratch.flag(),
            scratch.request(),
            scratch.status()),
        new MpiCall("imatchedProbe", source, tag, 0));
    return Native.getInt(scratch.flag()) == 0 ? null : new MpiMessage(group, scratch);
  }

  /** Returns whether a receive of the library's tag meets this message. */
  boolean meets(int receivesTag) {
    return receivesTag == libraryTag || receivesTag == Mpi.CONSTANTS.anyTag();
  }

  /** Begins to receive the message; leaves the request in the thread's scratch memory. */
  int begin(Payload payload) {
    Scratch scratch = Scratch.get();
    Mpi.putHandle(scratch.out(), handle);
    return Native.call(
        Messages.IMRECV,
        payload.address(),
        payload.count(),
        payload.datatype(),
        scratch.out(),
        scratch.request());
  }

  /** Returns the type that it was sent as; {@code expected} if its tag does not tell. */
  DType type(DType expected) {
    return TypedTags.type(libraryTag, expected);
  }

  @Override
  public Status status() {
    return status;
  }

  /**
   * Its type and length are known, so one that is another type or too long goes elsewhere and
   * leaves the buffer alone.
   */
  @Override
  public Status receive(MemorySegment buffer, DType type, long count) {
    if (received) {
      throw new IllegalStateException(
          "the message from rank " + status.source() + " has been received before");
    }
    long bytes = BufferChecks.writable(buffer, type, count, "buffer");
    received = true;
    if (type(type) != type) {
      drop();
      throw mismatch(group, libraryTag, status, type);
    }
    if (status.bytes() > bytes) {
      drop();
      throw new TruncationException(
          "a message of %s bytes from rank %s is longer than its buffer of %s"
              .formatted(status.bytes(), status.source(), bytes),
          group.where(),
          "receive with the count that its status tells",
          null);
    }
    receive(buffer, bytes);
    return status;
  }

  /** Says that a message was sent as another type than it is received as. */
  static MismatchException mismatch(MpiGroup group, int libraryTag, Status status, DType wanted) {
    DType sent = TypedTags.type(libraryTag, wanted);
    return new MismatchException(
        "message of %s from rank %s with tag %s was to be received as %s"
            .formatted(sent, status.source(), status.tag(), wanted),
        group.where(),
        "receive it as what it was sent as; raw bytes are I8 at both ends",
        null);
  }

  /** Receives the message to nowhere. */
  void drop() {
    try (Arena arena = Arena.ofConfined()) {
      receive(arena.allocate(status.bytes()), status.bytes());
    }
  }

  private void receive(MemorySegment buffer, long bytes) {
    Scratch scratch = Scratch.get();
    Mpi.putHandle(scratch.request(), handle);
    int code =
        Native.call(
            Messages.MRECV,
            buffer.address(),
            Datatypes.count(bytes),
            Datatypes.ofBytes(bytes),
            scratch.request(),
            scratch.status());
    BufferChecks.used(buffer);
    group.check(code, new MpiCall("receive", status.source(), status.tag(), bytes));
  }
}
