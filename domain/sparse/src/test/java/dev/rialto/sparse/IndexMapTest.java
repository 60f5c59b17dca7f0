package dev.rialto.sparse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.array.Array;
import dev.rialto.array.F64Array;
import dev.rialto.array.Team;
import dev.rialto.exchange.plan.Overlap;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.MismatchException;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.function.LongToIntFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IndexMapTest {
  private static final long SIZE = 101;
  private static final List<String> SCHEMES =
      List.of(
          "point-to-point",
          "scheduled",
          "all-to-all",
          "neighbor",
          "persistent-neighbor",
          "rma-pull",
          "rma-push",
          "shared",
          "point-to-point/fused");

  /** Every way to make a map, with irregular owners and a rank that may own nothing. */
  private static List<Function<Team, IndexMapBuilder>> makers() {
    return List.of(
        team -> IndexMap.even(team, SIZE),
        team -> IndexMap.blocks(team, team.rank() == team.size() - 1 ? SIZE : 0),
        team -> IndexMap.partition(team, SIZE, g -> (int) (g * 7 % team.size())),
        team ->
            IndexMap.owners(
                team, IntStream.range(0, (int) SIZE).map(g -> g / 3 % team.size()).toArray()),
        team ->
            IndexMap.lists(
                team,
                SIZE,
                LongStream.iterate(SIZE - 1, g -> g >= 0, g -> g - 1)
                    .filter(g -> g % team.size() == team.rank())
                    .toArray()));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void aHaloHoldsTheGlobalIndexOfItsOwner(int ranks) {
    for (var maker : makers()) {
      Ranks.run(
          ranks,
          team -> {
            Random random = new Random(5 + team.rank());
            long[] needed = random.longs(40, 0, SIZE).toArray();
            IndexMap map = maker.apply(team).need(needed).need(0).assemble();
            for (int i = 0; i < map.locals(); i++) {
              assertThat(map.local(map.global(i))).isEqualTo(i);
            }
            for (long global : needed) {
              assertThat(map.local(global)).isNotNegative();
            }
            assertThat(map.statistics().received()).isEqualTo(map.locals() - map.owned());
            for (String scheme : SCHEMES) {
              map.scheme(scheme);
              for (int width : new int[] {1, 3}) {
                updateAndCheck(map, width);
              }
            }
          });
    }
  }

  private static void updateAndCheck(IndexMap map, int width) {
    int copies = map.locals() - map.owned();
    try (TestVector x = new TestVector(map, DType.F64, width);
        Array halo = map.haloSpace(width).array(DType.F64);
        Vectors vectors = Vectors.of(map, x.array())) {
      double[] elements = new double[map.owned() * width];
      Arrays.setAll(elements, i -> map.global(i / width) + 1000.0 * (i % width));
      x.array().copyFrom(MemorySegment.ofArray(elements));
      for (int repeat = 0; repeat < 2; repeat++) {
        vectors.updateHalo(x.array(), halo);
        double[] found = new double[copies * width];
        halo.copyTo(MemorySegment.ofArray(found));
        for (int i = 0; i < found.length; i++) {
          assertThat(found[i])
              .isEqualTo(map.global(map.owned() + i / width) + 1000.0 * (i % width));
        }
      }
      // Adding copies back is the transpose: each owner gets its element once for each copy.
      vectors.addHalo(halo, x.array());
      double[] times = new double[elements.length];
      x.array().copyTo(MemorySegment.ofArray(times));
      double added = 0;
      for (int i = 0; i < times.length; i++) {
        double more = times[i] - elements[i];
        assertThat(elements[i] == 0 ? more : more % elements[i]).isZero();
        added += more;
      }
      double sent = 0;
      double[] found = new double[copies * width];
      halo.copyTo(MemorySegment.ofArray(found));
      for (double copy : found) {
        sent += copy;
      }
      assertThat(map.comm().sum(added)).isEqualTo(map.comm().sum(sent));
    }
  }

  @Test
  void replicatedIndicesNeedNoExchangeAndCountOnce() {
    Ranks.run(
        3,
        team -> {
          IndexMap map = IndexMap.replicated(team, 20).need(3, 19).assemble();
          assertThat(map.owned()).isEqualTo(20);
          assertThat(map.locals()).isEqualTo(20);
          assertThat(map.statistics().bytesSent(DType.F64)).isZero();
          try (TestVector x = new TestVector(map, DType.F64).fill(Scalar.ONE)) {
            assertThat(x.dot(x).re()).isEqualTo(20);
          }
        });
  }

  @Test
  void overlapsOfSeveralVectorsAgreeByEveryScheme() {
    Ranks.run(
        3,
        team -> {
          int rank = team.rank();
          // Two indices are owned by all ranks; the others belong to one rank each.
          IndexMap map = IndexMap.lists(team, 5, 0, 2 + rank, 1).need(2, 4).assemble();
          for (String scheme : SCHEMES) {
            map.scheme(scheme);
            for (Overlap.Rule rule : Overlap.Rule.values()) {
              try (TestVector x = new TestVector(map, DType.C128, 2)) {
                for (int i = 0; i < 3; i++) {
                  x.set(i, 0, Scalar.of(rank + 1));
                  x.set(i, 1, new Scalar(0, 10 * (rank + 1)));
                }
                x.updateOverlap(rule);
                double expected =
                    switch (rule) {
                      case SUM -> 6;
                      case AVERAGE -> 2;
                      case MASTER -> 1;
                    };
                for (int i = 0; i < 3; i++) {
                  double value = i == 1 ? rank + 1 : expected;
                  assertThat(x.get(i, 0)).as(scheme).isEqualTo(Scalar.of(value));
                  assertThat(x.get(i, 1)).as(scheme).isEqualTo(new Scalar(0, 10 * value));
                }
              }
            }
          }
        });
  }

  @Test
  void productsOfEachVectorCountSharedElementsOnce() {
    Ranks.run(
        2,
        team -> {
          IndexMap map = IndexMap.lists(team, 3, 0, 1 + team.rank()).assemble();
          for (boolean exact : new boolean[] {false, true}) {
            map.reproducible(exact);
            try (TestVector x = new TestVector(map, DType.F64, 2)) {
              for (int i = 0; i < map.owned(); i++) {
                x.set(i, 0, Scalar.of(map.global(i) + 1.0));
                x.set(i, 1, Scalar.of(-2));
              }
              assertThat(x.dotEach(x)).containsExactly(Scalar.of(14), Scalar.of(12));
              assertThat(x.dot(x)).isEqualTo(Scalar.of(26));
              assertThat(x.norm1()).isEqualTo(12);
            }
          }
        });
  }

  @Test
  void twoRanksOverlappingOnAGridAverageToOneAndAHalf() {
    // An 8 x 8 grid in two halves of 32 with a halo of 8; one layer of overlap makes 40 of each.
    Ranks.run(
        2,
        team -> {
          int rank = team.rank();
          long[] neighbours =
              LongStream.range(0, 8).map(i -> rank == 0 ? 32 + i : 24 + i).toArray();
          IndexMap plain = IndexMap.blocks(team, 32).need(neighbours).assemble();
          assertThat(plain.owned()).isEqualTo(32);
          assertThat(plain.statistics()).isEqualTo(new IndexMap.Statistics(1, 8, 8, 0.25));

          long[] mine = LongStream.range(rank == 0 ? 0 : 24, rank == 0 ? 40 : 64).toArray();
          IndexMap overlapping = IndexMap.lists(team, 64, mine).assemble();
          assertThat(overlapping.owned()).isEqualTo(40);
          try (TestVector x = new TestVector(overlapping, DType.F64)) {
            x.fill(Scalar.of(rank + 1));
            x.updateOverlap(Overlap.Rule.AVERAGE);
            int shared = 0;
            for (int i = 0; i < 40; i++) {
              boolean both = mine[i] >= 24 && mine[i] < 40;
              shared += both ? 1 : 0;
              assertThat(x.get(i).re()).isEqualTo(both ? 1.5 : rank + 1);
            }
            assertThat(shared).isEqualTo(16);
            // Shared elements count once.
            x.fill(Scalar.ONE);
            assertThat(x.dot(x).re()).isEqualTo(64);
            assertThat(x.norm1()).isEqualTo(64);
          }
        });
  }

  @Test
  void indicesWithoutOwnerAreNamedOnAllRanks() {
    for (int ranks : new int[] {1, 2, 3}) {
      Ranks.run(
          ranks,
          team -> {
            long[] mine = team.rank() == 0 ? new long[] {0, 1, 2} : new long[0];
            assertThatIllegalArgumentException()
                .isThrownBy(() -> IndexMap.lists(team, 5, mine).assemble())
                .withMessageContaining("3")
                .withMessageContaining("owned by no rank; list each of the 5 indices on some rank");
          });
    }
  }

  @Test
  void ranksThatDisagreeAreToldWhatTheOtherHas() {
    Ranks.run(
        2,
        team -> {
          int rank = team.rank();
          IndexMap map = IndexMap.even(team, 10).assemble();
          assertThatThrownBy(() -> map.scheme(rank == 0 ? "point-to-point" : "neighbor"))
              .isInstanceOf(MismatchException.class)
              .hasMessageContaining("rank 0 has point-to-point, rank 1 has neighbor");
          assertThatThrownBy(() -> IndexMap.even(team, 10 + rank))
              .hasMessageContaining("rank 0 has 10 indices, rank 1 has 11 indices");
          assertThatThrownBy(
                  () -> SparseMatrix.on(map, rank == 0 ? DType.F64 : DType.F32).assemble())
              .hasMessageContaining("rank 0 has F64")
              .hasMessageContaining("rank 1 has F32");
          // On the second of these all ranks have as many indices as if they agreed.
          for (LongToIntFunction owner :
              List.<LongToIntFunction>of(_ -> rank, g -> (int) (rank == 0 ? g % 2 : g / 2))) {
            assertThatThrownBy(() -> IndexMap.partition(team, 4, owner).assemble())
                .isInstanceOf(MismatchException.class)
                .hasMessageContaining("rank 0 has 4 by owner over 2 (owners ")
                .hasMessageContaining("rank 1 has 4 by owner over 2 (owners ");
          }
        });
  }

  @Test
  void vectorsOfListsAreRefusedByMapsOfOtherLists() {
    Ranks.run(
        2,
        team -> {
          int rank = team.rank();
          long[] mine = {2L * rank, 2L * rank + 1};
          IndexMap map = IndexMap.lists(team, 4, mine).assemble();
          IndexMap same = IndexMap.lists(team, 4, mine).assemble();
          IndexMap other = IndexMap.lists(team, 4, rank, 2 + rank).assemble();
          try (F64Array plain = team.f64(4);
              F64Array of = map.space().f64();
              Array wide = map.space(3).array(DType.F64);
              F64Array halo = other.haloSpace(1).f64()) {
            for (Array array : List.of(plain, of)) {
              assertThat(map.width(array, DType.F64)).isEqualTo(1);
              assertThat(same.width(array, DType.F64)).isEqualTo(1);
            }
            assertThat(same.width(wide, DType.F64)).isEqualTo(3);
            assertThat(halo.shape().count()).isZero();
            // As long on each rank, and with other indices.
            for (Array array : List.of(of, wide, plain)) {
              assertThatIllegalArgumentException()
                  .isThrownBy(() -> other.width(array, DType.F64))
                  .withMessageContaining("make it in the space of the matrix");
            }
          }
        });
  }

  @Test
  void realVectorsTakeNoComplexNumbers() {
    Ranks.run(
        1,
        team -> {
          IndexMap map = IndexMap.even(team, 2).assemble();
          Scalar i = new Scalar(1, 1);
          try (TestVector x = new TestVector(map, DType.F64);
              TestVector y = x.like()) {
            for (ThrowingCallable call :
                List.<ThrowingCallable>of(
                    () -> x.fill(i),
                    () -> x.axpby(i, y, Scalar.ONE),
                    () -> x.axpbypcz(Scalar.ONE, y, i, y, Scalar.ONE),
                    () -> SparseMatrix.on(map, DType.F64).add(0, 0, i))) {
              assertThatThrownBy(call)
                  .isInstanceOf(IllegalArgumentException.class)
                  .hasMessageContaining("is complex and F64 is not");
            }
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"F32", "F64", "C64", "C128"})
  void arithmeticMatchesPlainLoops(String name) {
    DType type = DType.valueOf(name);
    double rounding = type == DType.F32 || type == DType.C64 ? 1e-4 : 1e-12;
    Ranks.run(
        3,
        team -> {
          IndexMap map = IndexMap.even(team, 1000).assemble();
          boolean complex = type.kind() == DType.Kind.COMPLEX;
          try (TestVector x = new TestVector(map, type);
              TestVector y = x.like();
              TestVector z = x.like()) {
            Scalar a = new Scalar(0.5, complex ? -2 : 0);
            Scalar b = new Scalar(-1.5, complex ? 0.25 : 0);
            for (int i = 0; i < map.owned(); i++) {
              x.set(i, 0, value(complex, map.global(i)));
              y.set(i, 0, value(complex, map.global(i) + 5));
              z.set(i, 0, value(complex, map.global(i) + 9));
            }
            Scalar dot = Scalar.ZERO;
            double most = 0;
            for (long g = 0; g < 1000; g++) {
              dot = dot.plus(value(complex, g).conjugate().times(value(complex, g + 5)));
              most = Math.max(most, value(complex, g).abs());
            }
            assertThat(x.dot(y).minus(dot).abs()).isLessThan(1000 * rounding);
            assertThat(x.normInf()).isCloseTo(most, within(rounding));
            z.axpbypcz(a, x, b, y, a);
            y.axpby(a, x, b);
            for (int i = 0; i < map.owned(); i++) {
              long g = map.global(i);
              Scalar sum = a.times(value(complex, g)).plus(b.times(value(complex, g + 5)));
              assertThat(y.get(i).minus(sum).abs()).isLessThan(10 * rounding);
              Scalar more = sum.plus(a.times(value(complex, g + 9)));
              assertThat(z.get(i).minus(more).abs()).isLessThan(10 * rounding);
            }
          }
        });
  }

  private static Scalar value(boolean complex, long g) {
    return new Scalar(Math.sin((double) g), complex ? Math.cos(3.0 * g) : 0);
  }

  @Test
  void reproducibleSumsDoNotDependOnTheRanks() {
    for (DType type : List.of(DType.F64, DType.C128)) {
      List<Scalar> sums =
          IntStream.of(1, 2, 3, 7)
              .mapToObj(
                  ranks ->
                      Ranks.call(
                              ranks,
                              team -> {
                                IndexMap map = IndexMap.even(team, 5000).assemble();
                                map.reproducible(true);
                                try (TestVector x = new TestVector(map, type);
                                    TestVector y = x.like()) {
                                  x.setAll(g -> Math.exp(Math.sin((double) g) * 30));
                                  y.setAll(g -> Math.sin(3.0 * g));
                                  return x.dot(y);
                                }
                              })
                          .getFirst())
              .distinct()
              .toList();
      assertThat(sums).hasSize(1);
    }
  }
}
