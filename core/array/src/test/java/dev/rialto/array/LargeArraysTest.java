package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.array.loop.Combination;
import dev.rialto.array.loop.Fold;
import dev.rialto.array.loop.Loops;
import dev.rialto.array.part.Elements;
import dev.rialto.array.run.OperationRunner;
import dev.rialto.array.run.Scratch;
import dev.rialto.runtime.Devices;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import java.util.function.IntToDoubleFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Arrays of several chunks, whose loops use vectors and several chains. */
class LargeArraysTest {
  private static final int COUNT = 3 * (int) OperationRunner.CHUNK + 1234;

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

  private static F64Array array(Team team, double[] values, Decomposition decomposition) {
    F64Array array = team.space(values.length).divided(decomposition).f64();
    array.set(i -> values[(int) i]);
    return array;
  }

  private static double[] values(IntToDoubleFunction value) {
    return IntStream.range(0, COUNT).mapToDouble(value).toArray();
  }

  /** Returns this rank's elements, or what they should be. */
  private static double[] part(Array array, double @Nullable [] expected) {
    double[] part = new double[(int) array.owned().count()];
    if (expected == null) {
      array.copyTo(MemorySegment.ofArray(part));
    } else {
      Arrays.setAll(part, i -> expected[(int) array.elementAt(i)]);
    }
    return part;
  }

  @ParameterizedTest
  @EnumSource(names = {"F64", "F32", "I64", "I32"})
  void vectorsGiveTheBitsOfPlainLoops(DType type) {
    Random random = new Random(5);
    onRanks(
        1,
        team -> {
          try (Array a = team.space(5000).array(type);
              Scratch scratch = new Scratch(Devices.host())) {
            Elements elements = Elements.of(type);
            long address = a.local().address();
            for (int i = 0; i < 5000; i++) {
              double value = random.nextInt(50) == 0 ? -0.0 : random.nextGaussian() * 1e6;
              double element = type.kind() == DType.Kind.INTEGER ? Math.rint(value) : value;
              elements.set(address, i, elements.words(element)[0]);
            }
            for (ReduceOp operator :
                new ReduceOp[] {ReduceOp.SUM, ReduceOp.PRODUCT, ReduceOp.MIN, ReduceOp.MAX}) {
              Object op = Combination.of(operator, type).function();
              Loops plain = Loops.of(op, null, elements);
              Fold vectors = Fold.of(plain, op, null, elements, null);
              assertThat(vectors).isNotSameAs(plain);
              long to = scratch.numbers(Scratch.VALUES, 2 * Fold.BYTES / 8).address();
              for (int count : new int[] {1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 64, 100, 4999}) {
                vectors.fold(op, true, null, elements, address, null, 0, count, to);
                plain.fold(op, true, null, elements, address, null, 0, count, to + Fold.BYTES);
                assertThat(Elements.of(DType.I64).get(to))
                    .as("%s of %d, seed 5", op, count)
                    .isEqualTo(Elements.of(DType.I64).get(to + Fold.BYTES));
              }
            }
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void extremesAreFoundAmongNansAndZerosOfBothSigns(int ranks) {
    double[] values = values(i -> i % 7 == 0 ? Double.NaN : i % 3 == 0 ? 0.0 : 1.5);
    values[40_001] = -0.0;
    values[40_003] = -0.0;
    onRanks(
        ranks,
        team -> {
          for (Decomposition way :
              new Decomposition[] {Decomposition.block(), Decomposition.cyclic(ranks)}) {
            try (F64Array a = array(team, values, way)) {
              RealArray.MinMax found = a.minMax();
              assertThat(found.min()).isEqualTo(-0.0);
              assertThat(found.minElement()).isEqualTo(40_001);
              assertThat(found.max()).isNaN();
              assertThat(found.maxElement()).isZero();
            }
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3})
  void scansAndSumsMatchOneChain(int ranks) {
    // Whole numbers are added exactly, so that the order of additions does not show.
    double[] values = values(i -> i % 1000 - 300);
    double[] running = values.clone();
    Arrays.parallelPrefix(running, Double::sum);
    onRanks(
        ranks,
        team -> {
          try (F64Array a = array(team, values, Decomposition.block());
              F64Array out = array(team, values, Decomposition.block())) {
            assertThat(a.sum()).isEqualTo(running[COUNT - 1]);
            out.scan(a, ReduceOp.SUM);
            assertThat(part(out, null)).isEqualTo(part(out, running));
            a.scanBefore(a, 5, ReduceOp.SUM);
            double[] before = new double[COUNT];
            Arrays.setAll(before, i -> i == 0 ? 5 : running[i - 1] + 5);
            assertThat(part(a, null)).isEqualTo(part(a, before));
          }
        });
  }

  /** A rank with few elements gets more of another's than samples let it expect. */
  @ParameterizedTest
  @ValueSource(ints = {1, 100, COUNT / 2, COUNT - 50})
  void sortsOfUnevenPartsMatch(int first) {
    for (long seed = 0; seed < 3; seed++) {
      Random random = new Random(seed);
      double[] values =
          values(_ -> random.nextInt(4) == 0 ? random.nextInt(5) : random.nextGaussian());
      double[] sorted = values.clone();
      Arrays.sort(sorted);
      double[] reversed = values(i -> sorted[COUNT - 1 - i]);
      String name = "seed " + seed;
      onRanks(
          2,
          team -> {
            try (F64Array a =
                array(team, values, Decomposition.irregular(new long[] {first, COUNT - first}))) {
              a.sort();
              assertThat(part(a, null)).as(name).isEqualTo(part(a, sorted));
              a.sortDescending();
              assertThat(part(a, null)).as(name).isEqualTo(part(a, reversed));
            }
          });
    }
  }
}
