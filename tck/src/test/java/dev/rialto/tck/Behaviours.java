package dev.rialto.tck;

import dev.rialto.spi.Capability;
import dev.rialto.spi.World;
import dev.rialto.spi.error.PeerFailedException;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Assumptions;

/** Requirements that behave in each way there is. */
public final class Behaviours extends Tck {
  @Requirement(id = "B-001", text = "meets", capability = Capability.COLLECTIVES)
  void meets() {
    ranks(comm -> comm.barrier());
  }

  @Requirement(id = "B-002", text = "needs 3", capability = Capability.COLLECTIVES)
  void needsThree() {
    ranks(3, comm -> comm.barrier());
  }

  @Requirement(id = "B-003", text = "one rank fails", capability = Capability.COLLECTIVES)
  void oneRankFails() {
    ranks(
        2,
        comm -> {
          if (comm.rank() == 1) {
            Assertions.fail("wrong sum");
          }
          comm.barrier();
        });
  }

  @Requirement(id = "B-004", text = "hangs", capability = Capability.COLLECTIVES)
  void hangs() {
    ranks(
        2,
        comm -> {
          if (comm.rank() == 0) {
            comm.barrier();
          }
        });
  }

  @Requirement(id = "B-005", text = "skips", capability = Capability.COLLECTIVES)
  void skips() {
    Assumptions.abort("no such device");
  }

  @Requirement(id = "B-006", text = "not declared", capability = Capability.WINDOWS)
  void notDeclared() {
    Assertions.fail("runs although its capability is not declared");
  }

  @Requirement(id = "B-007", text = "a rank dies", capability = Capability.COLLECTIVES)
  void aRankDies() {
    ranks(
        2,
        comm -> {
          if (comm.rank() == 0) {
            throw kill(comm);
          }
          Assertions.assertThrows(PeerFailedException.class, comm::barrier);
        });
  }

  @Requirement(id = "B-008", text = "same numbers", capability = Capability.COLLECTIVES)
  void sameNumbers() {
    long expected = random().nextLong();
    ranks(comm -> Assertions.assertEquals(expected, random().nextLong()));
  }

  @Requirement(id = "B-009", text = "uses up a world", capability = Capability.COLLECTIVES)
  void usesUpAWorld() {
    for (int size : rankCounts()) {
      try (World world = open(size)) {
        Assertions.assertEquals(size, world.size());
      }
    }
  }

  @Requirement(id = "B-010", text = "a process dies", capability = Capability.COLLECTIVES)
  void aProcessDies() {
    ranks(
        2,
        comm -> {
          if (comm.rank() == 1) {
            Runtime.getRuntime().halt(7);
          }
          comm.barrier();
        });
  }
}
