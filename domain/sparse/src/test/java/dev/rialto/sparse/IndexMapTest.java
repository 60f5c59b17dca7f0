package dev.rialto.sparse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.rialto.exchange.Exchanger;
import dev.rialto.exchange.plan.Overlap;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.error.MismatchException;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
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
  private static List<Function<Exchanger, IndexMapBuilder>> makers() {
    return List.of(
        exchanger -> IndexMap.even(exchanger, SIZE),
        exchanger ->
            IndexMap.blocks(
                exchanger,
                exchanger.communicator().rank() == exchanger.communicator().size() - 1 ? SIZE : 0),
        exchanger ->
            IndexMap.partition(
                exchanger, SIZE, g -> (int) (g * 7 % exchanger.communicator().size())),
        exchanger ->
            IndexMap.owners(
                exchanger,
                IntStream.range(0, (int) SIZE)
                    .map(g -> g / 3 % exchanger.communicator().size())
                    .toArray()),
        exchanger ->
            IndexMap.lists(
                exchanger,
                SIZE,
                LongStream.iterate(SIZE - 1, g -> g >= 0, g -> g - 1)
                    .filter(
                        g -> g % exchanger.communicator().size() == exchanger.communicator().rank())
                    .toArray()));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 5})
  void aHaloHoldsTheGlobalIndexOfItsOwner(int ranks) {
    for (var maker : makers()) {
      Ranks.run(
          ranks,
          exchanger -> {
            Random random = new Random(5 + exchanger.communicator().rank());
            long[] needed = random.longs(40, 0, SIZE).toArray();
            IndexMap map = maker.apply(exchanger).need(needed).need(0).assemble();
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
    try (MultiVector x = new MultiVector(map, DType.F64, width)) {
      for (int i = 0; i < map.locals(); i++) {
        for (int v = 0; v < width; v++) {
          x.set(i, v, Scalar.of(i < map.owned() ? map.global(i) + 1000.0 * v : -1));
        }
      }
      for (int repeat = 0; repeat < 2; repeat++) {
        x.updateHalo();
        for (int i = 0; i < map.locals(); i++) {
          for (int v = 0; v < width; v++) {
            assertThat(x.get(i, v).re()).isEqualTo(map.global(i) + 1000.0 * v);
          }
        }
      }
    }
  }

  @Test
  void replicatedIndicesNeedNoExchangeAndCountOnce() {
    Ranks.run(
        3,
        exchanger -> {
          IndexMap map = IndexMap.replicated(exchanger, 20).need(3, 19).assemble();
          assertThat(map.owned()).isEqualTo(20);
          assertThat(map.locals()).isEqualTo(20);
          assertThat(map.statistics().bytesSent(DType.F64)).isZero();
          try (MultiVector x = new MultiVector(map, DType.F64).fill(Scalar.ONE)) {
            x.updateHalo();
            assertThat(x.dot(x).re()).isEqualTo(20);
          }
        });
  }

  @Test
  void overlapsOfSeveralVectorsAgreeByEveryScheme() {
    Ranks.run(
        3,
        exchanger -> {
          int rank = exchanger.communicator().rank();
          // Two indices are everybody's; the others belong to one rank each.
          IndexMap map = IndexMap.lists(exchanger, 5, 0, 2 + rank, 1).need(2, 4).assemble();
          for (String scheme : SCHEMES) {
            map.scheme(scheme);
            for (Overlap.Rule rule : Overlap.Rule.values()) {
              try (MultiVector x = new MultiVector(map, DType.C128, 2)) {
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
        exchanger -> {
          IndexMap map =
              IndexMap.lists(exchanger, 3, 0, 1 + exchanger.communicator().rank()).assemble();
          for (boolean exact : new boolean[] {false, true}) {
            map.reproducible(exact);
            try (MultiVector x = new MultiVector(map, DType.F64, 2)) {
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
        exchanger -> {
          int rank = exchanger.communicator().rank();
          long[] neighbours =
              LongStream.range(0, 8).map(i -> rank == 0 ? 32 + i : 24 + i).toArray();
          IndexMap plain = IndexMap.blocks(exchanger, 32).need(neighbours).assemble();
          assertThat(plain.owned()).isEqualTo(32);
          assertThat(plain.statistics()).isEqualTo(new IndexMap.Statistics(1, 8, 8, 0.25));

          long[] mine = LongStream.range(rank == 0 ? 0 : 24, rank == 0 ? 40 : 64).toArray();
          IndexMap overlapping = IndexMap.lists(exchanger, 64, mine).assemble();
          assertThat(overlapping.owned()).isEqualTo(40);
          try (MultiVector x = new MultiVector(overlapping, DType.F64)) {
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
          exchanger -> {
            long[] mine = exchanger.communicator().rank() == 0 ? new long[] {0, 1, 2} : new long[0];
            assertThatIllegalArgumentException()
                .isThrownBy(() -> IndexMap.lists(exchanger, 5, mine).assemble())
                .withMessageContaining("3")
                .withMessageContaining("owned by no rank; list each of the 5 indices on some rank");
          });
    }
  }

  @Test
  void halosOutOfTurnAreRefused() {
    Ranks.run(
        2,
        exchanger -> {
          IndexMap map = IndexMap.even(exchanger, 10).need(0, 9).assemble();
          try (MultiVector x = new MultiVector(map, DType.F64)) {
            assertThatIllegalStateException()
                .isThrownBy(x::awaitHalo)
                .withMessageContaining("start it first");
            x.startHalo();
            assertThatIllegalStateException().isThrownBy(x::startHalo);
            assertThatIllegalStateException()
                .isThrownBy(() -> x.fill(Scalar.ONE))
                .withMessageContaining("under way");
            x.awaitHalo();
          }
        });
  }

  @Test
  void severalVectorsOfAMapAreUnderWayAtOnce() {
    for (String scheme : SCHEMES) {
      Ranks.run(
          3,
          exchanger -> {
            IndexMap map = IndexMap.even(exchanger, 30).need(0, 15, 29).assemble();
            map.scheme(scheme);
            try (MultiVector x = new MultiVector(map, DType.F64).setAll(g -> g);
                MultiVector y = x.like().setAll(g -> 2 * g);
                MultiVector z = x.like().setAll(g -> 3 * g)) {
              for (int repeat = 0; repeat < 3; repeat++) {
                x.startHalo();
                y.startHalo();
                z.startHalo();
                y.awaitHalo();
                x.awaitHalo();
                z.awaitHalo();
              }
              for (int i = map.owned(); i < map.locals(); i++) {
                assertThat(x.get(i).re()).isEqualTo((double) map.global(i));
                assertThat(y.get(i).re()).isEqualTo(2.0 * map.global(i));
                assertThat(z.get(i).re()).isEqualTo(3.0 * map.global(i));
              }
            }
          });
    }
  }

  @Test
  void vectorsUnderWayAreNeitherWrittenNorClosed() {
    Ranks.run(
        2,
        exchanger -> {
          IndexMap map = IndexMap.even(exchanger, 10).need(0, 9).assemble();
          try (MultiVector x = new MultiVector(map, DType.F64)) {
            x.startHalo();
            assertThatIllegalStateException()
                .isThrownBy(x::close)
                .withMessageContaining("halo is under way; await it before closing");
            assertThatIllegalStateException().isThrownBy(() -> x.set(0, 1));
            assertThatIllegalStateException().isThrownBy(() -> x.get(map.owned()));
            assertThatIllegalStateException().isThrownBy(() -> x.startAddHalo());
            x.awaitHalo();
            x.startAddHalo();
            assertThatIllegalStateException()
                .isThrownBy(() -> x.get(0))
                .withMessageContaining("added halo is under way");
            assertThatIllegalStateException().isThrownBy(x::awaitHalo);
            x.awaitAddHalo();
          }
        });
  }

  @Test
  void ranksThatDisagreeAreToldWhatTheOtherHas() {
    Ranks.run(
        2,
        exchanger -> {
          int rank = exchanger.communicator().rank();
          IndexMap map = IndexMap.even(exchanger, 10).assemble();
          assertThatThrownBy(() -> map.scheme(rank == 0 ? "point-to-point" : "neighbor"))
              .isInstanceOf(MismatchException.class)
              .hasMessageContaining("rank 0 has point-to-point, rank 1 has neighbor");
          assertThatThrownBy(() -> IndexMap.even(exchanger, 10 + rank))
              .hasMessageContaining("rank 0 has 10 indices, rank 1 has 11 indices");
          assertThatThrownBy(
                  () -> SparseMatrix.on(map, rank == 0 ? DType.F64 : DType.F32).assemble())
              .hasMessageContaining("rank 0 has F64")
              .hasMessageContaining("rank 1 has F32");
          assertThatIllegalArgumentException()
              .isThrownBy(() -> IndexMap.partition(exchanger, 4, _ -> rank).assemble())
              .withMessageContaining("8 indices are owned by one rank or another");
        });
  }

  @Test
  void realVectorsTakeNoComplexNumbers() {
    Ranks.run(
        1,
        exchanger -> {
          IndexMap map = IndexMap.even(exchanger, 2).assemble();
          Scalar i = new Scalar(1, 1);
          try (MultiVector x = new MultiVector(map, DType.F64);
              MultiVector y = x.like()) {
            for (ThrowingCallable call :
                List.<ThrowingCallable>of(
                    () -> x.set(0, 0, i),
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
        exchanger -> {
          IndexMap map = IndexMap.even(exchanger, 1000).assemble();
          boolean complex = type.kind() == DType.Kind.COMPLEX;
          try (MultiVector x = new MultiVector(map, type);
              MultiVector y = x.like();
              MultiVector z = x.like()) {
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
                              exchanger -> {
                                IndexMap map = IndexMap.even(exchanger, 5000).assemble();
                                map.reproducible(true);
                                try (MultiVector x = new MultiVector(map, type);
                                    MultiVector y = x.like()) {
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
