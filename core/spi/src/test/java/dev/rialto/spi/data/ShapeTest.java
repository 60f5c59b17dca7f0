package dev.rialto.spi.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class ShapeTest {
  @Test
  void countsElements() {
    assertThat(Shape.of(2, 3, 4).count()).isEqualTo(24);
    assertThat(Shape.of().count()).isEqualTo(1);
    assertThat(Shape.of(1L << 40, 0, 1L << 40).count()).isZero();
  }

  @Test
  void readsWhatItPrints() {
    assertThat(Shape.parse("256x1x7")).isEqualTo(Shape.of(256, 1, 7)).hasToString("256x1x7");
  }

  @Test
  void refusesWhatIsNoShape() {
    assertThatThrownBy(() -> Shape.parse("2x")).hasMessageContaining("'2x' is not a shape");
    assertThatThrownBy(() -> Shape.parse("2x-1")).hasMessageContaining("extent -1");
    assertThatThrownBy(() -> Shape.of(1L << 32, 1L << 32)).hasMessageContaining("2^63-1 elements");
  }

  @Test
  void isNotChangedThroughItsArrays() {
    long[] extents = {2, 3};
    Shape shape = Shape.of(extents);
    extents[0] = 9;
    shape.extents()[1] = 9;
    assertThat(shape).isEqualTo(Shape.of(2, 3));
  }
}
