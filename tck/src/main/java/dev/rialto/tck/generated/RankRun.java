package dev.rialto.tck.generated;

import dev.rialto.spi.comm.Communicator;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** One rank on its way through a script: its communicators and its own random choices. */
public final class RankRun {
  private final Map<Group, Communicator> communicators = new HashMap<>();
  private final int rank;

  /** Differs from rank to rank: for what each may decide alone. */
  public final Draw own;

  RankRun(Communicator world, Group group, long seed) {
    this.rank = world.rank();
    this.own = new Draw(seed * 31 + rank);
    communicators.put(group, world);
  }

  int worldRank() {
    return rank;
  }

  boolean isIn(Group group) {
    return group.members().contains(rank);
  }

  public Communicator in(Group group) {
    return Objects.requireNonNull(communicators.get(group), group.path());
  }

  void add(Group group, Communicator made) {
    communicators.put(group, made);
  }

  Communicator remove(Group group) {
    return Objects.requireNonNull(communicators.remove(group), group.path());
  }
}
