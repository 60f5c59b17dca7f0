package dev.rialto.tck.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.World;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Collectives;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.error.TimeoutException;
import dev.rialto.spi.parts.messages.MessageCollectives;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.BiConsumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Collectives made of messages, on ranks whose long messages wait for their receivers. */
class MessageCollectivesTest {
  /** The collectives of a communicator as the kit's cases want them. */
  private record OverMessages(MessageCollectives collectives) implements Collectives {
    @Override
    public String name() {
      return "over messages";
    }

    @Override
    public Request start(Collective collective) {
      return collectives.start(collective);
    }
  }

  private static void ranks(int ranks, BiConsumer<Communicator, MessageCollectives> body) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            try (Communicator own = comm.dup()) {
              MessageCollectives collectives = new MessageCollectives(own);
              body.accept(comm, collectives);
              assertThat(collectives.open()).isZero();
            }
          });
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void collectivesMoveWhatTheirDefinitionsSay(int size) {
    ranks(
        size,
        (comm, collectives) -> {
          CollectiveCases cases = new CollectiveCases(new OverMessages(collectives), comm);
          cases.broadcast();
          cases.gather();
          cases.gatherV(1);
          cases.scatter();
          cases.scatterV(2);
          cases.allGather();
          cases.allGatherV(3);
          cases.allToAll();
          cases.allToAllV(4);
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void reductionsCombineInRankOrder(int size) {
    ranks(
        size,
        (comm, collectives) -> {
          Collectives reductions = new OverMessages(collectives);
          ReductionCases cases = new ReductionCases(reductions, comm);
          cases.reduce();
          cases.reduceToEachRoot();
          cases.allReduce();
          cases.scan();
          cases.exscan();
          cases.reduceScatter();
          cases.inPlace();
          cases.large();
          new ReductionCases(reductions, comm).half().allReduce();
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void ranksThatDisagreeOnACountAreTold(int size) {
    ranks(
        size,
        (comm, collectives) -> {
          MemorySegment buffer = MemorySegment.ofArray(new long[8]);
          int root = 0;
          long count = comm.rank() == root ? 4 : comm.rank() % 2 == 0 ? 3 : 5;
          Request request =
              collectives.start(new Collective.Broadcast(buffer, DType.I64, count, root));
          if (comm.rank() == root) {
            request.await();
          } else {
            assertThatThrownBy(request::await).isInstanceOf(MismatchException.class);
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3})
  void aBarrierWaitsForAllRanks(int size) {
    ranks(
        size,
        (comm, collectives) -> {
          if (comm.rank() == 0) {
            comm.barrier();
            collectives.start(new Collective.Barrier()).await();
          } else {
            Request barrier = collectives.start(new Collective.Barrier());
            assertThat(barrier.test()).isFalse();
            assertThatThrownBy(() -> barrier.await(Duration.ofMillis(1)))
                .isInstanceOf(TimeoutException.class);
            comm.barrier();
            barrier.await();
            assertThat(barrier.test()).isTrue();
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void neighboursExchangeAlongTheEdges(int size) {
    ranks(
        size,
        (comm, collectives) -> {
          int[] next = {(comm.rank() + 1) % size};
          int[] previous = {(comm.rank() + size - 1) % size};
          long[] received = new long[1];
          try (Topology ring = collectives.topology(previous, next)) {
            MemorySegment mine = MemorySegment.ofArray(new long[] {comm.rank()});
            ring.run(new Collective.AllToAll(mine, MemorySegment.ofArray(received), DType.I64, 1));
          }
          assertThat(received[0]).isEqualTo(previous[0]);
        });
  }
}
