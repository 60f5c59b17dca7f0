package dev.rialto.spi.parts;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class DeviceLayoutTest {
  private final Arena arena = Arena.ofAuto();

  private static long at(MemorySegment memory, int index) {
    return memory.getAtIndex(JAVA_LONG, index);
  }

  @Test
  void aSideOfABoxHasItsPlacesInBytes() {
    Layout box = Layout.strided(DType.F32, Shape.of(2, 3), new long[] {10, 2}, 5);
    MemorySegment side = DeviceLayout.describe(box, 0, arena);
    assertThat(side.byteSize()).isEqualTo(8L * (4 + 8 + 8));
    assertThat(at(side, 0)).isEqualTo(20);
    assertThat(at(side, 1)).isZero();
    assertThat(at(side, 3)).isEqualTo(2);
    assertThat(at(side, 4)).isEqualTo(2);
    assertThat(at(side, 5)).isEqualTo(3);
    assertThat(at(side, 12)).isEqualTo(40);
    assertThat(at(side, 13)).isEqualTo(8);
  }

  @Test
  void aSideOfAListHasItsAddressAndBlock() {
    Layout list = Layout.indexed(DType.F64, new long[] {4, 0, 9}, 2);
    MemorySegment side = DeviceLayout.describe(list, 0x7000, arena);
    assertThat(at(side, 1)).isEqualTo(0x7000);
    assertThat(at(side, 2)).isEqualTo(2);
    assertThat(at(side, 12)).isEqualTo(8);
  }

  @Test
  void tooManyAxesAreRefused() {
    long[] ones = new long[9];
    Arrays.fill(ones, 2);
    Shape shape = Shape.of(ones);
    long[] strides = shape.strides();
    Layout box = Layout.strided(DType.I8, shape, strides, 1);
    assertThatThrownBy(() -> DeviceLayout.describe(box, 0, arena))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("9 axes")
        .hasMessageContaining("the most are 8");
  }
}
