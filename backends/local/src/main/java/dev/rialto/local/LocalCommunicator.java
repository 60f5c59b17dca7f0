package dev.rialto.local;

import dev.rialto.spi.Capability;
import dev.rialto.spi.error.CommunicationException;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/** One rank's end of a communicator. */
final class LocalCommunicator extends LocalReductions {
  static final Set<Capability> CAPABILITIES =
      Collections.unmodifiableSet(EnumSet.range(Capability.POINT_TO_POINT, Capability.NODE_SPLIT));

  LocalCommunicator(Group group, int rank) {
    super(group, rank);
  }

  @Override
  public Set<Capability> capabilities() {
    return CAPABILITIES;
  }

  @Override
  public void abort(String reason) {
    self.world.fail(
        self.index, new CommunicationException("aborted: " + reason, self.toString(), "", null));
  }

  @Override
  public void close() {
    var _ = markClosed();
  }
}
