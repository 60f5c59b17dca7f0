package dev.rialto.tck.comm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.World;
import dev.rialto.spi.comm.Collective;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.comm.Request;
import dev.rialto.spi.comm.Topology;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.error.TimeoutException;
import dev.rialto.spi.parts.messages.ComposedCommunicator;
import dev.rialto.spi.parts.messages.MessageCollectives;
import dev.rialto.tck.Coverage;
import dev.rialto.tck.generated.Kind;
import dev.rialto.tck.generated.Script;
import dev.rialto.tck.generated.Step.Form;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Collectives made of messages, on ranks whose long messages wait for their receivers. */
class MessageCollectivesTest {
  /** A communicator whose collectives are made of another's messages. */
  private static final class OverMessages extends ComposedCommunicator {
    OverMessages(Communicator messages, MessageCollectives collectives) {
      super(messages, collectives);
    }

    @Override
    public void abort(String reason) {
      throw new IllegalStateException(reason);
    }

    @Override
    public void close() {}
  }

  private static void run(
      Communicator comm, MessageCollectives collectives, Consumer<Script> write) {
    Communicator over = new OverMessages(comm, collectives);
    Script script = new Script(1, over);
    write.accept(script);
    try {
      script.run(over, new Coverage(), 1);
    } catch (Exception e) {
      throw new AssertionError(e);
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
        (comm, collectives) ->
            run(
                comm,
                collectives,
                script -> Kind.MOVING.forEach(kind -> script.collective(kind, Form.BLOCKING))));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void reductionsCombineInRankOrder(int size) {
    ranks(
        size,
        (comm, collectives) ->
            run(
                comm,
                collectives,
                script -> {
                  for (Kind kind : Kind.COMBINING) {
                    script.reduction(kind, Form.BLOCKING, false, _ -> true);
                    script.reduction(kind, Form.BLOCKING, true, _ -> true).longSum(kind);
                  }
                }));
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
