package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.error.PeerFailedException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ranks that do different things are told, on every rank, with both sides named. */
@Timeout(120)
class DisagreementTest {
  private static final int RANKS = 3;

  private static void onRanks(Consumer<Communicator> body) {
    try (World world = World.local(RANKS)) {
      world.run(body::accept);
    }
  }

  /** Lets the last rank do something else than the others, and checks what every rank gets. */
  private interface Differing {
    void run(Team team, DistributedArray array, boolean other);
  }

  private static void refused(String one, String two, Differing body) {
    AtomicInteger told = new AtomicInteger();
    onRanks(
        comm -> {
          try (Team team = Team.on(comm);
              DistributedArray array = team.array(DType.F64, Shape.of(12), Decomposition.block())) {
            assertThatThrownBy(() -> body.run(team, array, comm.rank() == RANKS - 1))
                .isInstanceOf(MismatchException.class)
                .hasMessageContaining(one)
                .hasMessageContaining(two)
                .hasMessageContaining("rank " + (comm.rank() == RANKS - 1 ? 0 : RANKS - 1));
            assertThatThrownBy(() -> Elementwise.fill(array, 1).run())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no longer agree");
            told.incrementAndGet();
          }
        });
    assertThat(told).hasValue(RANKS);
  }

  @Test
  void operators() {
    refused(
        "SUM",
        "MAX",
        (_, array, other) -> Reduce.of(array, other ? Operator.MAX : Operator.SUM).run());
  }

  @Test
  void operations() {
    refused(
        "reduce of F64 array 1",
        "sort of F64 array 1",
        (_, array, other) -> {
          Operation<?> operation = other ? Sort.ascending(array) : Reduce.of(array, Operator.SUM);
          var _ = operation.run();
        });
  }

  @Test
  void shapesTypesAndDecompositionsOfNewArrays() {
    refused(
        "array 2 of 30",
        "array 2 of 40",
        (team, _, other) ->
            team.array(DType.F64, Shape.of(other ? 40 : 30), Decomposition.block()).close());
    refused(
        "F32",
        "I64",
        (team, _, other) ->
            team.array(other ? DType.F32 : DType.I64, Shape.of(4), Decomposition.block()).close());
    refused(
        "block",
        "cyclic",
        (team, _, other) ->
            team.array(
                    DType.F64,
                    Shape.of(4),
                    other ? Decomposition.cyclic(RANKS) : Decomposition.block())
                .close());
  }

  @Test
  void arraysAndPlaces() {
    refused(
        "array 1",
        "array 2",
        (team, array, other) -> {
          try (DistributedArray second =
              team.array(DType.F64, Shape.of(12), Decomposition.block())) {
            var _ = Reduce.of(other ? second : array, Operator.SUM).run();
          }
        });
    refused("3", "4", (_, array, other) -> Select.nth(array, other ? 4 : 3).run());
  }

  @Test
  void arrayThatOneRankClosesIsAFailureOfThatRankForTheOthers() {
    AtomicInteger told = new AtomicInteger();
    assertThatThrownBy(
            () ->
                onRanks(
                    comm -> {
                      try (Team team = Team.on(comm);
                          DistributedArray array =
                              team.array(DType.F64, Shape.of(12), Decomposition.block())) {
                        if (comm.rank() == 1) {
                          throw new ArithmeticException("mine");
                        }
                        assertThatThrownBy(() -> Reduce.of(array, Operator.SUM).run())
                            .isInstanceOf(PeerFailedException.class)
                            .hasMessageContaining("rank 1")
                            .hasMessageContaining("closing F64 array 1");
                        told.incrementAndGet();
                      }
                    }))
        .hasStackTraceContaining("mine");
    assertThat(told).hasValue(RANKS - 1);
  }

  @Test
  void aFunctionThatThrowsOnOneRankIsWhatComesOutThere() {
    AtomicInteger told = new AtomicInteger();
    onRanks(
        comm -> {
          try (Team team = Team.on(comm);
              DistributedArray array =
                  team.array(DType.F64, Shape.of(100), Decomposition.block())) {
            Mapping mapping =
                Mapping.ofDoubles(
                    x -> {
                      if (comm.rank() == 1) {
                        throw new ArithmeticException("mine");
                      }
                      return x;
                    });
            assertThatThrownBy(() -> Reduce.transformed(array, mapping, Operator.SUM).run())
                .isInstanceOf(
                    comm.rank() == 1 ? ArithmeticException.class : PeerFailedException.class);
            // All left together, so the team can be used on.
            assertThat(Reduce.of(array, Operator.SUM).run().asDouble()).isZero();
            told.incrementAndGet();
          }
        });
    assertThat(told).hasValue(RANKS);
  }
}
