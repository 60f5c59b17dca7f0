package dev.rialto.mpi.message;

import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.library.Native;
import dev.rialto.mpi.library.Scratch;
import dev.rialto.mpi.watch.MpiCall;
import dev.rialto.mpi.watch.Patience;
import dev.rialto.mpi.world.MpiGroup;
import dev.rialto.spi.comm.PointToPoint;
import dev.rialto.spi.comm.PointToPoint.Message;
import dev.rialto.spi.comm.Status;
import dev.rialto.spi.data.DType;
import java.util.Optional;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * Looks at messages that have come and that no receive has met.
 *
 * <p>A caller's tag is one of the library's {@linkplain TypedTags for each type}. The first message
 * of any tag is looked at before those are tried one by one: it mostly is the one, and mostly there
 * is none.
 */
final class MpiProbes {
  private static final DType[] TYPES = DType.values();

  private final MpiGroup group;
  private final EarlyMessages early = new EarlyMessages();

  MpiProbes(MpiGroup group) {
    this.group = group;
  }

  static int source(int source) {
    return source == PointToPoint.ANY_SOURCE ? Mpi.CONSTANTS.anySource() : source;
  }

  Status probe(int source, int tag) {
    if (group.polls()) {
      return poll("probe", source, tag, () -> iprobe(source, tag));
    }
    Scratch scratch = Scratch.get();
    group.check(
        Native.call(
            Messages.PROBE,
            source(source),
            TypedTags.of(tag, DType.I8),
            group.handle(),
            scratch.status()),
        new MpiCall("probe", source, tag, 0));
    return scratch.decoded(TypedTags.MASK);
  }

  Optional<Status> iprobe(int source, int tag) {
    synchronized (early) {
      MpiMessage found = early.find(source, tag, false);
      if (found != null) {
        return Optional.of(found.status());
      }
      return find(source, tag)
          ? Optional.of(Scratch.get().decoded(TypedTags.MASK))
          : Optional.ofNullable(early.find(source, tag, false)).map(MpiMessage::status);
    }
  }

  Message matchedProbe(int source, int tag) {
    if (group.polls()) {
      return poll("matchedProbe", source, tag, () -> imatchedProbe(source, tag));
    }
    Scratch scratch = Scratch.get();
    group.check(
        Native.call(
            Messages.MPROBE,
            source(source),
            TypedTags.of(tag, DType.I8),
            group.handle(),
            scratch.request(),
            scratch.status()),
        new MpiCall("matchedProbe", source, tag, 0));
    return new MpiMessage(group, scratch);
  }

  Optional<MpiMessage> imatchedProbe(int source, int tag) {
    synchronized (early) {
      MpiMessage found = early.find(source, tag, true);
      if (found == null) {
        found =
            find(source, tag)
                ? MpiMessage.take(group, source, tag, Scratch.get().tag())
                : early.find(source, tag, true);
      }
      return Optional.ofNullable(found);
    }
  }

  /**
   * Posts a receive, or begins one of an early message.
   *
   * @param post posts it; one that is persistent is started
   * @return whether the receive has met its message
   */
  boolean receive(MpiCall operation, Payload payload, IntSupplier post) {
    if (!TypedTags.ON) {
      group.check(post.getAsInt(), operation);
      return false;
    }
    synchronized (early) {
      int libraryTag = TypedTags.of(operation.tag(), payload.type());
      MpiMessage message = early.isEmpty() ? null : early.remove(operation.peer(), libraryTag);
      group.check(message == null ? post.getAsInt() : message.begin(payload), operation);
      return message != null;
    }
  }

  /**
   * Looks for a message that a receive would have met if it were of another type.
   *
   * @return the library's tag of one; -1 if there is none
   */
  int findOtherThan(DType type, int source, int tag) {
    synchronized (early) {
      MpiMessage message = early.find(source, tag, false);
      if (message != null && message.type(type) != type) {
        return TypedTags.of(tag, message.type(type));
      }
    }
    for (DType other : TYPES) {
      if (other != type && isThere(source, tag, TypedTags.of(tag, other))) {
        return TypedTags.of(tag, other);
      }
    }
    return -1;
  }

  /** Takes a message, if it is still there. */
  Optional<MpiMessage> take(int source, int tag, int libraryTag) {
    synchronized (early) {
      MpiMessage found = early.remove(source, libraryTag);
      return Optional.ofNullable(
          found == null ? MpiMessage.take(group, source, tag, libraryTag) : found);
    }
  }

  /**
   * Returns whether the library has the message, of which then the status tells. Behind a message
   * of another tag it does not tell which of several types came first: then the messages to there
   * are taken early.
   */
  private boolean find(int source, int tag) {
    if (!TypedTags.ON || tag == PointToPoint.ANY_TAG) {
      return isThere(source, tag, TypedTags.of(tag, DType.I8));
    }
    if (!isThere(source, tag, Mpi.CONSTANTS.anyTag())) {
      return false;
    }
    if ((Scratch.get().tag() & TypedTags.MASK) == tag) {
      return true;
    }
    for (DType type : TYPES) {
      if (isThere(source, tag, TypedTags.of(tag, type))) {
        early.takeUntil(group, source, tag);
        return false;
      }
    }
    return false;
  }

  private boolean isThere(int source, int tag, int libraryTag) {
    Scratch scratch = Scratch.get();
    group.check(
        Native.call(
            Messages.IPROBE,
            source(source),
            libraryTag,
            group.handleInCall(),
            scratch.flag(),
            scratch.status()),
        new MpiCall("iprobe", source, tag, 0));
    return Native.getInt(scratch.flag()) != 0;
  }

  private <T> T poll(String name, int source, int tag, Supplier<Optional<? extends T>> look) {
    MpiCall call = new MpiCall(name, source, tag, 0);
    Patience patience = group.patience(call, false);
    try {
      while (true) {
        Optional<? extends T> found = look.get();
        if (found.isPresent()) {
          return found.get();
        }
        RuntimeException ended = group.ended(false);
        if (ended != null) {
          throw ended;
        }
        if (Thread.currentThread().isInterrupted()) {
          throw group.interrupted(call);
        }
        patience.pause();
      }
    } finally {
      patience.end();
    }
  }
}
