package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.exchange.plan.Halo;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Arrays, their memory and their halos. */
@Timeout(60)
class DistributedArrayTest {
  private interface OnTeam {
    void run(Team team);
  }

  private static void onRanks(int ranks, OnTeam body) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm)) {
              body.run(team);
            }
          });
    }
  }

  @Test
  void aHaloHoldsTheNeighboursElements() {
    onRanks(
        4,
        team -> {
          Shape shape = Shape.of(6, 8);
          try (DistributedArray a =
              team.array(
                  DType.F64, shape, Decomposition.block(2, 2), Halo.Stencil.of(2, 1, true, true))) {
            var _ = Elementwise.generate(a, Generator.ofDoubles(i -> (double) i)).run();
            a.updateHalo();
            assertThat(a.localShape()).isEqualTo(Shape.of(5, 6));
            int rank = team.communicator().rank();
            long row = rank / 2 * 3L - 1;
            long column = rank % 2 * 4L - 1;
            for (int i = 0; i < 5; i++) {
              for (int j = 0; j < 6; j++) {
                double expected = Math.floorMod(row + i, 6L) * 8 + Math.floorMod(column + j, 8L);
                assertThat(a.local().getAtIndex(JAVA_DOUBLE, i * 6L + j)).isEqualTo(expected);
              }
            }
            var _ = a.redistribute(Decomposition.block(4)).run();
            a.updateHalo();
            assertThat(Search.count(a, Condition.ofDoubles(x -> x < 24)).run()).isEqualTo(24);
          }
        });
  }

  @Test
  void complexElementsAreMovedAndReached() {
    onRanks(
        3,
        team -> {
          try (DistributedArray a = team.array(DType.C128, Shape.of(10), Decomposition.cyclic(3));
              Arena arena = Arena.ofConfined()) {
            MemorySegment element = arena.allocate(16);
            if (team.communicator().rank() == 0) {
              for (int i = 0; i < 10; i++) {
                element.setAtIndex(JAVA_DOUBLE, 0, i);
                element.setAtIndex(JAVA_DOUBLE, 1, -i);
                a.put(element, i);
              }
            }
            a.synchronize();
            var _ = a.redistribute(Decomposition.hash()).run();
            var _ = a.resize(Shape.of(12)).run();
            for (int i = 0; i < 12; i++) {
              a.get(element, i);
              assertThat(element.toArray(JAVA_DOUBLE))
                  .containsExactly(i % 12 < 10 ? i : 0, i < 10 ? -i : 0);
            }
            a.synchronize();
            assertThatThrownBy(() -> Sort.ascending(a))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("C128");
            assertThatThrownBy(() -> Reduce.of(a, Operator.MAX))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ofComplex");
            assertThatThrownBy(() -> Search.count(a, Condition.ofLongs(x -> x > 0)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("condition of longs for C128");
          }
        });
  }

  @Test
  void negativeZeroAndNanAreSortedTotally() {
    onRanks(
        2,
        team -> {
          double[] values = {Double.NaN, 0.0, 1, -0.0, Double.NEGATIVE_INFINITY, -1};
          try (DistributedArray a = team.array(DType.F64, Shape.of(6), Decomposition.block())) {
            var _ = Elementwise.generate(a, Generator.ofDoubles(i -> values[(int) i])).run();
            Reduce.MinMax extremes = Reduce.minMax(a).run();
            assertThat(extremes.minElement()).isEqualTo(4);
            assertThat(extremes.maxElement()).isZero();
            var _ = Sort.ascending(a).run();
            double[] sorted = values.clone();
            Arrays.sort(sorted);
            long[] expected =
                Arrays.stream(sorted).mapToLong(Double::doubleToRawLongBits).toArray();
            assertThat(Sample.contents(a)).isEqualTo(expected);
          }
        });
  }

  @Test
  void misuseIsRefusedWithTheReason() {
    onRanks(
        2,
        team -> {
          DistributedArray a = team.array(DType.I32, Shape.of(4, 4), Decomposition.block(2));
          assertThatThrownBy(() -> a.get(1))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("[1] into shape 4x4");
          assertThatThrownBy(() -> a.get(1, 4)).isInstanceOf(IndexOutOfBoundsException.class);
          assertThatThrownBy(() -> Reduce.of(a, Operator.ofDoubles(Double::sum)))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessage("operator of doubles for I32 elements; make it with ofLongs");
          assertThatThrownBy(() -> Select.nth(a, 16))
              .isInstanceOf(IndexOutOfBoundsException.class)
              .hasMessageContaining("place 16 among 16");
          assertThatThrownBy(() -> a.resize(Shape.of(3)))
              .isInstanceOf(IllegalArgumentException.class);
          assertThatThrownBy(() -> a.startHalo())
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("has no halo");
          assertThatThrownBy(
                  () ->
                      team.array(
                          DType.I32,
                          Shape.of(4),
                          Decomposition.hash(),
                          Halo.Stencil.of(1, 1, true, true)))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("divide the array in blocks");
          MemorySegment local = a.local();
          a.close();
          assertThatThrownBy(() -> a.local()).isInstanceOf(IllegalStateException.class);
          assertThat(local.scope().isAlive()).isFalse();
        });
  }
}
