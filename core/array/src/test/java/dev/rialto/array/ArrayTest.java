package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Arrays, their memory and their halos. */
class ArrayTest {
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
          try (F64Array a = team.space(6, 8).over(2, 2).halo(1).periodic().f64()) {
            a.set((i, j) -> 8 * i + j);
            a.updateHalo();
            assertThat(a.localShape()).isEqualTo(Shape.of(5, 6));
            int rank = team.communicator().rank();
            long row = rank / 2 * 3L - 1;
            long column = rank % 2 * 4L - 1;
            for (int i = 0; i < 5; i++) {
              for (int j = 0; j < 6; j++) {
                double expected = Math.floorMod(row + i, 6L) * 8 + Math.floorMod(column + j, 8L);
                assertThat(a.local().getAtIndex(JAVA_DOUBLE, i * 6L + j)).isEqualTo(expected);
                assertThat(a.get(row + i, column + j)).isEqualTo(expected);
              }
            }
            a.redistribute(Decomposition.block(4));
            a.updateHalo();
            assertThat(a.count(x -> x < 24)).isEqualTo(24);
          }
        });
  }

  @Test
  void complexElementsAreMovedAndReached() {
    onRanks(
        3,
        team -> {
          try (ComplexArray a = team.space(10).divided(Decomposition.cyclic(3)).c128()) {
            if (team.communicator().rank() == 0) {
              for (int i = 0; i < 10; i++) {
                a.put(new Complex(i, 3 - i), i);
              }
            }
            a.synchronize();
            a.redistribute(Decomposition.hash());
            a.resize(12);
            for (int i = 0; i < 12; i++) {
              assertThat(a.fetch(i)).isEqualTo(i < 10 ? new Complex(i, 3 - i) : new Complex(0, 0));
            }
            a.synchronize();
            assertThatThrownBy(a::sort)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("C128");
            assertThatThrownBy(() -> a.reduce(ReduceOp.MAX))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("MAX of C128 elements");
          }
        });
  }

  @Test
  void negativeZeroAndNanAreSortedTotally() {
    onRanks(
        2,
        team -> {
          double[] values = {Double.NaN, 0.0, 1, -0.0, Double.NEGATIVE_INFINITY, -1};
          try (F64Array a = team.f64(6)) {
            a.set(i -> values[(int) i]);
            RealArray.MinMax extremes = a.minMax();
            assertThat(extremes.minElement()).isEqualTo(4);
            assertThat(extremes.maxElement()).isZero();
            a.sort();
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
          I32Array a = team.i32(4, 4);
          assertThatThrownBy(() -> a.get(1))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("[1] into shape 4x4");
          assertThatThrownBy(() -> a.get(1, 4)).isInstanceOf(IndexOutOfBoundsException.class);
          long others = team.communicator().rank() == 0 ? 3 : 0;
          assertThatThrownBy(() -> a.get(others, 0))
              .isInstanceOf(IndexOutOfBoundsException.class)
              .hasMessageContaining("does not have element [" + others + ", 0]")
              .hasMessageContaining("..");
          assertThatThrownBy(() -> a.set((i, j, k) -> i + j + k))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("3 indices for an array of shape 4x4");
          assertThatThrownBy(() -> a.reduce(ReduceOp.REPLACE))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("REPLACE of I32");
          assertThatThrownBy(() -> a.nth(16))
              .isInstanceOf(IndexOutOfBoundsException.class)
              .hasMessageContaining("place 16 among 16");
          assertThatThrownBy(() -> a.resize(3)).isInstanceOf(IllegalArgumentException.class);
          assertThatThrownBy(() -> a.startHalo())
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("has no halo");
          assertThatThrownBy(
                  () -> team.space(4).divided(Decomposition.hash()).halo(1).periodic().i32())
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("divide the array in blocks");
          MemorySegment local = a.local();
          a.close();
          assertThatThrownBy(() -> a.local()).isInstanceOf(IllegalStateException.class);
          assertThatThrownBy(() -> a.get(0, 0))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("is closed");
          // Other ranks may read it until they have closed the array too.
          team.f64(1).close();
          assertThat(local.scope().isAlive()).isFalse();
        });
  }

  /** Elements by their indices, of every type, divided in every way, with a halo and without. */
  @Test
  void everyElementIsReadAndWrittenByItsIndex() {
    onRanks(
        3,
        team -> {
          int rank = team.communicator().rank();
          for (IndexSpace space :
              new IndexSpace[] {
                team.space(7, 5),
                team.space(7, 5).over(1, 3).halo(2),
                team.space(7, 5).divided(Decomposition.cyclic(3)),
                team.space(7, 5).divided(Decomposition.hash())
              }) {
            try (F64Array doubles = space.f64();
                F32Array floats = space.f32();
                I64Array longs = space.i64();
                I32Array ints = space.i32();
                I8Array bytes = (I8Array) space.array(DType.I8);
                HalfArray halves = (HalfArray) space.array(DType.F16);
                ComplexArray complex = space.c64()) {
              for (long element : doubles.distribution().elements(rank)) {
                long i = element / 5;
                long j = element % 5;
                doubles.set(i, j, (double) element);
                floats.set(i, j, (float) element);
                longs.set(i, j, element);
                ints.set(i, j, (int) element);
                bytes.set(i, j, (byte) element);
                halves.set(new long[] {i, j}, (float) element);
                complex.set(new long[] {i, j}, new Complex(element, -element));
                assertThat(
                        doubles.get(i, j)
                            + floats.get(i, j)
                            + longs.get(i, j)
                            + ints.get(i, j)
                            + bytes.get(i, j)
                            + halves.get(i, j)
                            + complex.get(i, j).re())
                    .isEqualTo(7.0 * element);
              }
              assertThat(doubles.sum()).isEqualTo(34 * 35 / 2);
              assertThat(floats.sum()).isEqualTo(34 * 35 / 2);
              assertThat(longs.sum()).isEqualTo(34 * 35 / 2);
              assertThat(ints.max()).isEqualTo(34);
              assertThat(bytes.min()).isZero();
              assertThat(halves.mean()).isEqualTo(17);
              assertThat(complex.sum()).isEqualTo(new Complex(34 * 35 / 2.0, -34 * 35 / 2.0));
              assertThat(doubles.norm()).isEqualTo(Math.sqrt(34.0 * 35 * 69 / 6), within(1e-12));
              doubles.scale(-1);
              doubles.axpy(2, floats);
              assertThat(doubles.sum()).isEqualTo(34 * 35 / 2);
              try (F64Array other = doubles.like()) {
                other.set((i, j) -> 10.0 * i + j);
                assertThat(other.dot(doubles)).isEqualTo(dot());
              }
            }
          }
        });
  }

  private static double dot() {
    double sum = 0;
    for (int element = 0; element < 35; element++) {
      int row = element / 5;
      sum += element * (10.0 * row + element % 5);
    }
    return sum;
  }

  @Test
  void functionsOfThreeIndicesSeeTheHalosOfOthers() {
    onRanks(
        4,
        team -> {
          IndexSpace space = team.space(6, 4, 5).over(2, 2).halo(1).periodic();
          try (F64Array from = space.f64();
              F64Array to = space.f64();
              F64Array other = team.f64(6, 4, 5)) {
            from.set((i, j, k) -> 100 * i + 10 * j + k);
            to.set(
                (i, j, k) -> from.get(i - 1, j, k) + from.get(i, j + 1, k) + from.get(i, j, k - 1),
                from);
            assertThatThrownBy(() -> from.set((i, j, k) -> from.get(i, j, k + 1), from))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("write to another array");
            other.set(
                (i, j, k) ->
                    100 * ((i + 5) % 6)
                        + 10 * j
                        + k
                        + (100 * i + 10 * ((j + 1) % 4) + k)
                        + (100 * i + 10 * j + (k + 4) % 5));
            other.axpy(-1, to);
            assertThat(other.norm()).isZero();
          }
        });
  }

  @Test
  void onlyTheArraysGivenToStartedWorkAreUsedInIt() {
    onRanks(
        2,
        team -> {
          try (F64Array a = team.f64(10);
              F64Array b = team.f64(10)) {
            assertThatThrownBy(() -> team.start(b::sum, a).await())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("give it to start");
            assertThatThrownBy(() -> team.start(() -> team.f64(3), a).await())
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("outside of work that was started");
            assertThat(team.start(a::sum, a).await()).isZero();
          }
        });
  }
}
