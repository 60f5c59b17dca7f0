package dev.rialto.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Layout;
import dev.rialto.spi.data.Shape;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A range of a layout names the elements that the whole layout names there, in their order. */
class LayoutRangeTest {
  static Stream<Layout> layouts() {
    return Stream.of(
        Layout.contiguous(DType.F32, 17),
        Layout.pitched(DType.F32, Shape.of(4, 5), 7),
        Layout.strided(DType.F32, Shape.of(2, 3, 4), new long[] {1, 8, 2}, 5),
        Layout.strided(DType.F32, Shape.of(3, 1, 2), new long[] {-4, 9, -1}, 12),
        Layout.strided(DType.F32, Shape.of(1, 1, 6), new long[] {0, 0, 3}, 0),
        Layout.indexed(DType.F32, new long[] {9, 0, 4, 20}, 3));
  }

  @ParameterizedTest
  @MethodSource("layouts")
  void rangesNameTheElementsInTheirOrder(Layout layout) {
    List<Long> all = elements(layout);
    for (int first = 0; first < all.size(); first++) {
      for (int end = first; end <= all.size(); end++) {
        List<Long> named = new ArrayList<>();
        LayoutRange.visit(layout, first, end - first, part -> named.addAll(elements(part)));
        assertThat(named).as("from %d to %d", first, end).isEqualTo(all.subList(first, end));
      }
    }
  }

  private static List<Long> elements(Layout layout) {
    List<Long> offsets = new ArrayList<>();
    layout.forEachRun(
        (offset, bytes) -> {
          for (long i = 0; i < bytes / 4; i++) {
            offsets.add(offset / 4 + i);
          }
        });
    return offsets;
  }
}
