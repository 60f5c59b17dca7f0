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
import dev.rialto.spi.error.MismatchException;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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
    return find(source, tag)
        ? Optional.of(Scratch.get().decoded(TypedTags.MASK))
        : Optional.empty();
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
    return find(source, tag) ? take(source, tag, Scratch.get().tag()) : Optional.empty();
  }

  /**
   * Looks for a message that a receive would have met if it were of another type.
   *
   * @return the library's tag of one; -1 if there is none
   */
  int findOtherThan(DType type, int source, int tag) {
    for (DType other : TYPES) {
      if (other != type && isThere(source, tag, TypedTags.of(tag, other))) {
        return TypedTags.of(tag, other);
      }
    }
    return -1;
  }

  /** Takes a message, if it is still there. */
  Optional<MpiMessage> take(int source, int tag, int libraryTag) {
    Scratch scratch = Scratch.get();
    group.check(
        Native.call(
            Messages.IMPROBE,
            source(source),
            libraryTag,
            group.handleInCall(),
            scratch.flag(),
            scratch.request(),
            scratch.status()),
        new MpiCall("imatchedProbe", source, tag, 0));
    return Native.getInt(scratch.flag()) == 0
        ? Optional.empty()
        : Optional.of(new MpiMessage(group, scratch));
  }

  /** Returns whether there is a message, of which then the status tells. */
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
    @Nullable DType found = null;
    for (DType type : TYPES) {
      if (isThere(source, tag, TypedTags.of(tag, type))) {
        if (found != null) {
          throw unordered(source, tag, found, type);
        }
        found = type;
      }
    }
    return found != null && isThere(source, tag, TypedTags.of(tag, found));
  }

  /** Behind a message of another tag the library does not tell which of several came first. */
  private MismatchException unordered(int source, int tag, DType one, DType other) {
    return new MismatchException(
        ("messages of %s and of %s wait with tag %s%s, after one of another tag, and their order is "
                + "not known")
            .formatted(one, other, tag, source < 0 ? "" : " from rank " + source),
        group.where(),
        "give each type a tag of its own, or probe for any tag",
        null);
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
    Patience patience = group.patience(new MpiCall(name, source, tag, 0), false);
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
        patience.pause();
      }
    } finally {
      patience.end();
    }
  }
}
