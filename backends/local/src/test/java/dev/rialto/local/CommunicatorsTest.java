package dev.rialto.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.PersistentRequest;
import dev.rialto.spi.comm.PointToPoint.SendMode;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.data.DType;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Division, separation and closing of communicators. */
class CommunicatorsTest {
  private static final MemorySegment NOTHING = MemorySegment.NULL;

  @Test
  void partsAreOrderedByKeyThenRankAndNamed() {
    try (World world = World.local(5)) {
      List<String> places =
          world.call(
              comm -> {
                int color = comm.rank() == 4 ? Communicator.NO_COLOR : comm.rank() % 2;
                Optional<Communicator> part = comm.split(color, comm.rank() == 2 ? -1 : 0);
                return part.map(each -> each.name() + ": " + each.rank() + " of " + each.size())
                    .orElse("none");
              });
      assertThat(places)
          .containsExactly(
              "local/world/split 1 color 0: 1 of 2",
              "local/world/split 1 color 1: 0 of 2",
              "local/world/split 1 color 0: 0 of 2",
              "local/world/split 1 color 1: 1 of 2",
              "none");
    }
  }

  @Test
  void messagesOfOneCommunicatorAreNotSeenOnAnother() {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            Communicator twin = comm.dup();
            Communicator node = twin.splitByNode();
            assertThat(node.name()).isEqualTo("local/world/dup 1/node 1");
            if (comm.rank() == 0) {
              twin.send(MemorySegment.ofArray(new byte[] {1}), DType.I8, 1, 1, 0);
              node.send(MemorySegment.ofArray(new byte[] {2}), DType.I8, 1, 1, 0);
              comm.send(MemorySegment.ofArray(new byte[] {3}), DType.I8, 1, 1, 0);
            } else {
              byte[] got = new byte[1];
              byte expected = 3;
              for (Communicator each : List.of(comm, node, twin)) {
                each.receive(MemorySegment.ofArray(got), DType.I8, 1, 0, 0);
                assertThat(got[0]).isEqualTo(expected--);
              }
              assertThat(twin.iprobe(0, 0)).isEmpty();
            }
            node.close();
            twin.close();
          });
    }
  }

  @Test
  void ranksOfASubgroupAreItsOwn() {
    try (World world = World.local(3)) {
      world.run(
          comm -> {
            Optional<Communicator> pair = comm.subgroup(2, 0);
            assertThat(pair.isPresent()).isEqualTo(comm.rank() != 1);
            if (pair.isPresent()) {
              Communicator both = pair.get();
              assertThat(both.rank()).isEqualTo(comm.rank() == 2 ? 0 : 1);
              if (both.rank() == 0) {
                both.send(NOTHING, DType.I8, 0, 1, 5);
              } else {
                assertThat(both.receive(NOTHING, DType.I8, 0, 0, 5).source()).isZero();
              }
            }
          });
    }
  }

  @Test
  void aColorBelowZeroIsRefused() {
    try (World world = World.local(1)) {
      world.run(
          comm ->
              assertThatIllegalArgumentException()
                  .isThrownBy(() -> comm.split(-2, 0))
                  .withMessageContaining("-2"));
    }
  }

  @Test
  void aClosedCommunicatorRefusesEverythingAndTheWorldsOwnStaysOpen() {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            Communicator twin = comm.dup();
            twin.close();
            twin.close();
            assertThatIllegalStateException()
                .isThrownBy(() -> twin.send(NOTHING, DType.I8, 0, 0, 0))
                .withMessageContaining("local/world/dup 1 is closed");
            assertThatIllegalStateException().isThrownBy(twin::dup);
            assertThatIllegalStateException().isThrownBy(() -> twin.iprobe(0, 0));
            comm.close();
            comm.barrier();
          });
    }
  }

  @Test
  void whatIsStillOpenIsToldOnClosing() {
    try (World world = World.local(1)) {
      world.run(
          comm -> {
            Communicator pending = comm.dup();
            Request request = pending.ireceive(NOTHING, DType.I8, 0, 0, 0);
            assertThatIllegalStateException()
                .isThrownBy(pending::close)
                .withMessageContaining("receive from rank 0, tag 0 on local/world/dup 1");
            assertThat(request.cancel()).isTrue();
            pending.close();

            Communicator persistent = comm.dup();
            PersistentRequest described =
                persistent.persistentSend(NOTHING, DType.I8, 0, 0, 0, SendMode.STANDARD);
            assertThatIllegalStateException().isThrownBy(persistent::close);
            described.close();

            Communicator complete = comm.dup();
            Request sent = complete.isend(NOTHING, DType.I8, 0, 0, 0);
            Request received = complete.ireceive(NOTHING, DType.I8, 0, 0, 0);
            assertThat(received.test()).isTrue();
            assertThat(sent.test()).isTrue();
            complete.close();
          });
    }
  }
}
