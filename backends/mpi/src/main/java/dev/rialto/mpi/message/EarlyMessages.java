package dev.rialto.mpi.message;

import dev.rialto.mpi.library.Mpi;
import dev.rialto.mpi.world.MpiGroup;
import dev.rialto.spi.comm.PointToPoint;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The messages of a communicator that a probe had to take from the library, to learn which of those
 * behind them came first.
 *
 * <p>They came before all that the library still has from their senders, so receives and probes
 * look here first. Mostly there are none. Methods are called under this object's lock, which a
 * receive holds until it is posted: a message is either here or where the receive meets it.
 */
final class EarlyMessages {
  private final List<MpiMessage> messages = new ArrayList<>();

  /** Takes messages from the library until one has the tag; the caller knows that one has. */
  void takeUntil(MpiGroup group, int source, int tag) {
    MpiMessage message;
    do {
      message = MpiMessage.take(group, source, PointToPoint.ANY_TAG, Mpi.CONSTANTS.anyTag());
      if (message == null) {
        return; // Another thread has received it.
      }
      messages.add(message);
    } while (message.status().tag() != tag);
  }

  boolean isEmpty() {
    return messages.isEmpty();
  }

  /** Returns the first message that a probe for the tag meets. */
  @Nullable MpiMessage find(int source, int tag, boolean remove) {
    return first(source, m -> tag == PointToPoint.ANY_TAG || m.status().tag() == tag, remove);
  }

  /** Removes and returns the first message that a receive of the library's tag meets. */
  @Nullable MpiMessage remove(int source, int libraryTag) {
    return first(source, m -> m.meets(libraryTag), true);
  }

  private @Nullable MpiMessage first(int source, Predicate<MpiMessage> fits, boolean remove) {
    for (int i = 0; i < messages.size(); i++) {
      MpiMessage message = messages.get(i);
      boolean from = source == PointToPoint.ANY_SOURCE || message.status().source() == source;
      if (from && fits.test(message)) {
        return remove ? messages.remove(i) : message;
      }
    }
    return null;
  }
}
