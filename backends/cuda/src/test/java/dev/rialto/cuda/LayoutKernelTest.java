package dev.rialto.cuda;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.cuda.driver.DriverMemory;
import dev.rialto.spi.copy.BoxPair;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Descriptions of copies for the GPU; the numbers are those of {@code cuda.h}. */
class LayoutKernelTest {
  private final Arena arena = Arena.ofAuto();

  private static long at(MemorySegment memory, int index) {
    return memory.getAtIndex(JAVA_LONG, index);
  }

  private MemorySegment box(Layout from, Layout to) {
    BoxPair pair = Optional.ofNullable(BoxPair.of(from, to)).orElseThrow();
    return LayoutKernel.box(pair, from.type().size(), 0x1000, 0x2000, arena);
  }

  @Test
  void planesOfRowsGoToTheDriver() {
    // A box of 2 x 3 x 4 in an array of 5 x 6 x 7, to dense memory.
    Layout from = Layout.strided(DType.F64, Shape.of(2, 3, 4), new long[] {42, 7, 1}, 8);
    MemorySegment box = box(from, Layout.contiguous(DType.F64, 24));
    assertThat(box.get(JAVA_INT, 32)).isEqualTo(DriverMemory.MEMORY_UNIFIED);
    assertThat(box.get(JAVA_LONG, 48)).isEqualTo(0x1000 + 64);
    assertThat(box.get(JAVA_LONG, 72)).isEqualTo(56);
    assertThat(box.get(JAVA_LONG, 80)).isEqualTo(6);
    assertThat(box.get(JAVA_INT, 120)).isEqualTo(DriverMemory.MEMORY_UNIFIED);
    assertThat(box.get(JAVA_LONG, 136)).isEqualTo(0x2000);
    assertThat(box.get(JAVA_LONG, 160)).isEqualTo(32);
    assertThat(box.get(JAVA_LONG, 168)).isEqualTo(3);
    assertThat(box.get(JAVA_LONG, 176)).isEqualTo(32);
    assertThat(box.get(JAVA_LONG, 184)).isEqualTo(3);
    assertThat(box.get(JAVA_LONG, 192)).isEqualTo(2);
  }

  @Test
  void transposesAreTiledOverTheTwoAxesThatLieClosest() {
    // Axes 40 x 5 x 70 of the target's order; in the source the first one lies side by side.
    Layout from = Layout.strided(DType.F32, Shape.of(40, 5, 70), new long[] {1, 40, 200}, 3);
    BoxPair pair =
        Optional.ofNullable(BoxPair.of(from, Layout.contiguous(DType.F32, 14_000))).orElseThrow();
    MemorySegment tiles = TransposeKernel.describe(pair, 4, arena);
    long[] expected = {40, 70, 800, 1400, 12, 0, 1, 5};
    for (int i = 0; i < expected.length; i++) {
      assertThat(at(tiles, i)).as("number %d", i).isEqualTo(expected[i]);
    }
    assertThat(at(tiles, 7 + TransposeKernel.FURTHER)).isEqualTo(160);
    assertThat(at(tiles, 7 + 2 * TransposeKernel.FURTHER)).isEqualTo(280);
    assertThat(TransposeKernel.grid(tiles)).containsExactly(2, 3, 5);
    assertThat(TransposeKernel.further(tiles)).isEqualTo(5);
    Layout rows = Layout.strided(DType.F32, Shape.of(4, 8), new long[] {9, 1}, 0);
    BoxPair same =
        Optional.ofNullable(BoxPair.of(rows, Layout.contiguous(DType.F32, 32))).orElseThrow();
    assertThat(TransposeKernel.describe(same, 4, arena).address()).isZero();
  }

  @Test
  void rowsAreMovedInTheWidestPartsThatFit() {
    // The first two axes of 3 x 5 x 6 elements change places.
    Layout from = Layout.strided(DType.F32, Shape.of(5, 3, 6), new long[] {6, 30, 1}, 2);
    BoxPair pair =
        Optional.ofNullable(BoxPair.of(from, Layout.contiguous(DType.F32, 90))).orElseThrow();
    assertThat(RowsKernel.part(pair, 4, 0x1000, 0x2000)).isEqualTo(8);
    assertThat(RowsKernel.part(pair, 4, 0x1004, 0x2000)).isEqualTo(4);
    MemorySegment rows = RowsKernel.describe(pair, 4, 8, arena);
    long[] expected = {5, 3, 4, 3, 24, 72, 1, 3};
    for (int i = 0; i < expected.length; i++) {
      assertThat(at(rows, i)).as("number %d", i).isEqualTo(expected[i]);
    }
    assertThat(at(rows, 7 + RowsKernel.FURTHER)).isEqualTo(120);
    assertThat(at(rows, 7 + 2 * RowsKernel.FURTHER)).isEqualTo(24);
    assertThat(RowsKernel.grid(rows)).containsExactly(1, 3, 1);
    Layout column = Layout.strided(DType.F32, Shape.of(4, 8), new long[] {1, 4}, 0);
    BoxPair other =
        Optional.ofNullable(BoxPair.of(column, Layout.contiguous(DType.F32, 32))).orElseThrow();
    assertThat(RowsKernel.part(other, 4, 0, 0)).isZero();
  }

  @Test
  void whatTheDriverCannotDescribeIsLeftToTheKernel() {
    Layout dense = Layout.contiguous(DType.F64, 24);
    Layout transposed = Layout.strided(DType.F64, Shape.of(2, 3, 4), new long[] {1, 2, 6}, 0);
    Layout odd = Layout.strided(DType.F64, Shape.of(2, 3, 4), new long[] {45, 7, 1}, 0);
    Layout backwards = Layout.strided(DType.F64, Shape.of(6, 4), new long[] {-7, 1}, 35);
    for (Layout layout : new Layout[] {transposed, odd, backwards}) {
      assertThat(box(layout, dense).address()).as("%s", layout).isZero();
    }
  }
}
