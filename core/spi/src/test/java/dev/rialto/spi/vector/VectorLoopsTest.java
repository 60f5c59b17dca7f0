package dev.rialto.spi.vector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import java.util.function.DoubleBinaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loops on vectors against plain ones, bit for bit. */
class VectorLoopsTest {
  private static final int COUNT = 1000;

  private static MemorySegment doubles(Arena arena, Random random) {
    return arena.allocateFrom(ValueLayout.JAVA_DOUBLE, random.doubles(COUNT, -1, 1).toArray());
  }

  private static double at(MemorySegment of, int i) {
    return of.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 8, 9, 100, COUNT})
  void lanesTakeElementsInTurns(int count) {
    try (Arena arena = Arena.ofConfined()) {
      Random random = new Random(3);
      MemorySegment x = doubles(arena, random);
      MemorySegment y = doubles(arena, random);
      expect(ReduceOp.Builtin.SUM, null, Double::sum, x, y, count);
      expect(ReduceOp.Builtin.SUM, ReduceOp.Builtin.PRODUCT, Double::sum, x, y, count);
      expect(ReduceOp.Builtin.MAX, null, Math::max, x, y, count);
    }
  }

  private static void expect(
      ReduceOp.Builtin op,
      ReduceOp.@Nullable Builtin pair,
      DoubleBinaryOperator plain,
      MemorySegment x,
      MemorySegment y,
      int count) {
    LaneFold fold = Objects.requireNonNull(LaneFold.of(op, pair, DType.F64));
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment lanes = arena.allocate(LaneFold.BYTES, 8);
      int done = fold.fold(x.address(), y.address(), count, lanes.address());
      assertThat(done).isEqualTo(count - count % fold.lanes());
      for (int lane = 0; lane < fold.lanes() && done > 0; lane++) {
        double wanted = pair == null ? at(x, lane) : at(x, lane) * at(y, lane);
        for (int i = lane + fold.lanes(); i < done; i += fold.lanes()) {
          wanted = plain.applyAsDouble(wanted, pair == null ? at(x, i) : at(x, i) * at(y, i));
        }
        assertThat(at(lanes, lane)).as("lane %d of %s", lane, op).isEqualTo(wanted);
      }
    }
  }

  @Test
  void operatorsThatVectorsLackAreLeftToPlainLoops() {
    assertThat(LaneFold.of(ReduceOp.Builtin.BIT_AND, null, DType.I64)).isNull();
    assertThat(LaneFold.of(ReduceOp.Builtin.SUM, null, DType.C128)).isNull();
  }

  @Test
  void dotsAddEightSums() {
    try (Arena arena = Arena.ofConfined()) {
      Random random = new Random(4);
      MemorySegment x = doubles(arena, random);
      MemorySegment y = doubles(arena, random);
      double[] lanes = IntStream.range(0, 8).asDoubleStream().toArray();
      double[] wanted = lanes.clone();
      int done = DotLanes.add(8, COUNT - 3, x.address(), y.address(), lanes);
      assertThat(done).isEqualTo(992);
      for (int i = 8; i < done; i++) {
        wanted[i % 8] += at(x, i) * at(y, i);
      }
      assertThat(lanes).isEqualTo(wanted);
    }
  }

  @Test
  void rowsOfDiagonalsAreSummedInTheirOrder() {
    try (Arena arena = Arena.ofConfined()) {
      Random random = new Random(5);
      MemorySegment x = doubles(arena, random);
      MemorySegment y = arena.allocate(8L * COUNT, 8);
      double[] values = random.doubles(3 * COUNT, -1, 1).toArray();
      int[] offset = {-20, 0, 7};
      int[] place = {0, COUNT, 2 * COUNT};
      int end = DiagonalRows.multiply(20, 900, 3, offset, place, values, x.address(), y.address());
      assertThat(end).isBetween(900 - 8, 900);
      for (int i = 20; i < end; i++) {
        double wanted = 0;
        for (int d = 0; d < 3; d++) {
          wanted += values[place[d] + i] * at(x, i + offset[d]);
        }
        assertThat(at(y, i)).as("row %d", i).isEqualTo(wanted);
      }
      double[] untouched = y.asSlice(0, 160).toArray(ValueLayout.JAVA_DOUBLE);
      assertThat(Arrays.stream(untouched).allMatch(value -> value == 0)).isTrue();
    }
  }
}
