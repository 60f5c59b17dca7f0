package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Partition;
import dev.rialto.spi.World;
import dev.rialto.spi.comm.Communicator;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.error.MismatchException;
import dev.rialto.spi.error.PeerFailedException;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Ranks that do different things are told, on every rank, with both sides named. */
class DisagreementTest {
  private static final int RANKS = 3;

  private static void onRanks(Consumer<Communicator> body) {
    try (World world = World.local(RANKS)) {
      world.run(body::accept);
    }
  }

  /** Lets the last rank do something else than the others, and checks what every rank gets. */
  private interface Differing {
    void run(Team team, F64Array array, boolean other);
  }

  private static void refused(String one, String two, Differing body) {
    AtomicInteger told = new AtomicInteger();
    onRanks(
        comm -> {
          try (Team team = Team.on(comm);
              F64Array array = team.f64(12)) {
            assertThatThrownBy(() -> body.run(team, array, comm.rank() == RANKS - 1))
                .isInstanceOf(MismatchException.class)
                .hasMessageContaining(one)
                .hasMessageContaining(two)
                .hasMessageContaining("rank " + (comm.rank() == RANKS - 1 ? 0 : RANKS - 1));
            assertThatThrownBy(() -> array.fill(1))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no longer agree");
            told.incrementAndGet();
          }
        });
    assertThat(told).hasValue(RANKS);
  }

  @Test
  void operators() {
    refused("SUM", "MAX", (_, array, other) -> array.reduce(other ? ReduceOp.MAX : ReduceOp.SUM));
  }

  @Test
  void operations() {
    refused(
        "reduce of F64 array 1",
        "sort of F64 array 1",
        (_, array, other) -> {
          if (other) {
            array.sort();
          } else {
            double _ = array.sum();
          }
        });
  }

  @Test
  void shapesTypesAndDecompositionsOfNewArrays() {
    refused(
        "array 2 of 30", "array 2 of 40", (team, _, other) -> team.f64(other ? 40 : 30).close());
    refused(
        "F32",
        "I64",
        (team, _, other) -> team.space(4).array(other ? DType.F32 : DType.I64).close());
    refused(
        "block",
        "cyclic",
        (team, _, other) ->
            team.space(4)
                .divided(other ? Decomposition.cyclic(RANKS) : Decomposition.block())
                .f64()
                .close());
  }

  private static String byOwner(int... owners) {
    return "array 2 of 12 by owner over 3 (owners %08x)".formatted(Arrays.hashCode(owners));
  }

  @Test
  void ownersAndBlocksThatAreAsManyButOthers() {
    refused(
        byOwner(0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2),
        byOwner(0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2),
        (team, _, other) ->
            team.space(12)
                .divided(Decomposition.byOwner(e -> (int) (other ? e / 4 : e % 3)))
                .f64()
                .close());
    refused(
        "over 3 in order [0] (blocks",
        "over 3 in order [0]",
        (team, _, other) ->
            team.space(12)
                .divided(
                    Decomposition.of(
                        Grid.of(other ? Partition.block(12, 3) : Partition.blocks(5, 3, 4))))
                .f64()
                .close());
  }

  @Test
  void arraysAndPlaces() {
    refused(
        "array 1",
        "array 2",
        (team, array, other) -> {
          try (F64Array second = team.f64(12)) {
            double _ = (other ? second : array).sum();
          }
        });
    refused("3", "4", (_, array, other) -> array.nth(other ? 4 : 3));
  }

  @Test
  void anArrayThatOneRankClosesBeforeOthersIsAFailureOfThatRank() {
    onRanks(
        comm -> {
          Team team = Team.on(comm);
          F64Array array = team.f64(12);
          F64Array other = team.f64(12);
          if (comm.rank() == 1) {
            array.close();
            assertThatThrownBy(other::sum).isInstanceOf(RuntimeException.class);
          } else {
            assertThatThrownBy(array::sum)
                .isInstanceOf(PeerFailedException.class)
                .hasMessageContaining("rank 1 left by closing F64 array 1");
            array.close();
          }
          other.close();
          team.close();
        });
  }

  @Test
  void arrayThatOneRankClosesIsAFailureOfThatRankForTheOthers() {
    AtomicInteger told = new AtomicInteger();
    CountDownLatch made = new CountDownLatch(RANKS - 1);
    assertThatThrownBy(
            () ->
                onRanks(
                    comm -> {
                      try (Team team = Team.on(comm);
                          F64Array array = team.f64(12)) {
                        if (comm.rank() == 1) {
                          while (made.getCount() > 0) {
                            Thread.onSpinWait();
                          }
                          throw new ArithmeticException("mine");
                        }
                        made.countDown();
                        assertThatThrownBy(array::sum)
                            .isInstanceOf(PeerFailedException.class)
                            .hasMessageContaining("rank 1")
                            .hasMessageContaining("mine");
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
              F64Array array = team.f64(100)) {
            RealArray.Unary mapping =
                x -> {
                  if (comm.rank() == 1) {
                    throw new ArithmeticException("mine");
                  }
                  return x;
                };
            assertThatThrownBy(() -> array.reduce(mapping, ReduceOp.SUM))
                .isInstanceOf(
                    comm.rank() == 1 ? ArithmeticException.class : PeerFailedException.class);
            // All left together, so the team can be used on.
            assertThat(array.sum()).isZero();
            told.incrementAndGet();
          }
        });
    assertThat(told).hasValue(RANKS);
  }
}
