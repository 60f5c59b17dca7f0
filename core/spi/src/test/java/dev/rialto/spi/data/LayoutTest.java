package dev.rialto.spi.data;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class LayoutTest {
  /** The byte offsets of all elements, in order, as the runs tell them. */
  private static List<Long> offsets(Layout layout) {
    List<Long> offsets = new ArrayList<>();
    layout.forEachRun(
        (offset, bytes) -> {
          for (long at = offset; at < offset + bytes; at += layout.type().size()) {
            offsets.add(at);
          }
        });
    return offsets;
  }

  @Test
  void boxesThatHavePlaceForEachNameNoElementTwice() {
    long seed = 20261118;
    Random random = new Random(seed);
    int apart = 0;
    for (int round = 0; round < 500; round++) {
      int rank = random.nextInt(4);
      long[] extents = random.longs(rank, 1, 5).toArray();
      long[] strides = random.longs(rank, -9, 10).toArray();
      if (Layout.strided(DType.I8, Shape.of(extents), strides, 100)
          instanceof Layout.Strided layout) {
        List<Long> all = offsets(layout);
        if (layout.hasPlaceForEach()) {
          assertThat(all).as("seed %d: %s", seed, layout).doesNotHaveDuplicates();
          apart++;
        }
      }
    }
    assertThat(apart).isBetween(50, 450);
    long[] exchanged = {1, 7};
    Layout turned = Layout.strided(DType.F64, Shape.of(7, 3), exchanged, 0);
    assertThat(((Layout.Strided) turned).hasPlaceForEach()).isTrue();
    Layout one = Layout.strided(DType.F64, Shape.of(7, 3), new long[] {0, 1}, 0);
    assertThat(((Layout.Strided) one).hasPlaceForEach()).isFalse();
  }

  @Test
  void runsOfRandomBoxesNameEveryElementInOrder() {
    long seed = 20261115;
    List<DType> types = List.of(DType.values());
    Random random = new Random(seed);
    for (int round = 0; round < 500; round++) {
      int rank = random.nextInt(5);
      long[] extents = random.longs(rank, 0, 5).toArray();
      long[] strides = random.longs(rank, -7, 8).toArray();
      long offset = 200;
      DType type = types.get(random.nextInt(types.size()));
      Layout layout = Layout.strided(type, Shape.of(extents), strides, offset);
      List<Long> expected = new ArrayList<>();
      for (long i = 0; i < Shape.of(extents).count(); i++) {
        long rest = i;
        long at = offset;
        for (int axis = rank - 1; axis >= 0; axis--) {
          at += rest % extents[axis] * strides[axis];
          rest /= extents[axis];
        }
        expected.add(at * type.size());
      }
      assertThat(offsets(layout))
          .as("seed %d, round %d: %s", seed, round, layout)
          .isEqualTo(expected);
      assertThat(layout.span())
          .isEqualTo(expected.stream().mapToLong(o -> o + type.size()).max().orElse(0));
    }
  }

  @Test
  void runsAreMaximal() {
    List<Long> lengths = new ArrayList<>();
    Layout.strided(DType.F64, Shape.of(3, 4, 5), new long[] {100, 5, 1}, 0)
        .forEachRun((_, bytes) -> lengths.add(bytes));
    assertThat(lengths).containsExactly(160L, 160L, 160L);

    lengths.clear();
    Layout.indexed(DType.I32, new long[] {4, 6, 8, 20, 2}, 2)
        .forEachRun((_, bytes) -> lengths.add(bytes));
    assertThat(lengths).containsExactly(24L, 8L, 8L);
  }

  @Test
  void rowMajorBoxIsContiguous() {
    assertThat(Layout.strided(DType.F32, Shape.of(3, 4), new long[] {4, 1}, 0))
        .isEqualTo(Layout.contiguous(DType.F32, 12));
    assertThat(Layout.pitched(DType.F32, Shape.of(3, 4), 4).isContiguous()).isTrue();
  }

  @Test
  void pitchedRowsStartAtMultiplesOfThePitch() {
    Layout layout = Layout.pitched(DType.F64, Shape.of(2, 3, 5), 8);
    List<Long> starts = new ArrayList<>();
    layout.forEachRun(
        (offset, bytes) -> {
          starts.add(offset);
          assertThat(bytes).isEqualTo(40);
        });
    assertThat(starts).containsExactly(0L, 64L, 128L, 192L, 256L, 320L);
    assertThat(layout.span()).isEqualTo(360);
    assertThat(layout.bytes()).isEqualTo(240);
  }

  @Test
  void indexedBlocksKeepTheirOrder() {
    assertThat(offsets(Layout.indexed(DType.I8, new long[] {7, 0, 3}, 2)))
        .containsExactly(7L, 8L, 0L, 1L, 3L, 4L);
  }

  @Test
  void emptyLayoutsSpanNothing() {
    for (Layout layout :
        List.of(
            Layout.contiguous(DType.F64, 0),
            Layout.strided(DType.F64, Shape.of(3, 0), new long[] {9, 1}, 4),
            Layout.indexed(DType.F64, new long[0], 3),
            Layout.indexed(DType.F64, new long[] {5}, 0))) {
      assertThat(layout.count()).isZero();
      assertThat(layout.span()).isZero();
      assertThat(offsets(layout)).isEmpty();
    }
  }

  @Test
  void wrongLayoutsAreRefusedWithTheValue() {
    assertThatThrownBy(() -> Layout.contiguous(DType.F64, -3)).hasMessageContaining("-3");
    assertThatThrownBy(() -> Layout.strided(DType.F64, Shape.of(2), new long[] {1, 1}, 0))
        .hasMessageContaining("2 strides");
    assertThatThrownBy(() -> Layout.strided(DType.F64, Shape.of(4), new long[] {-1}, 2))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("1 elements before");
    assertThatThrownBy(() -> Layout.pitched(DType.F64, Shape.of(4, 5), 4))
        .hasMessageContaining("pitch 4");
    assertThatThrownBy(() -> Layout.indexed(DType.F64, new long[] {-1}, 2))
        .hasMessageContaining("index -1");
    assertThatThrownBy(() -> Layout.contiguous(DType.C128, Long.MAX_VALUE / 2))
        .hasMessageContaining("2^63-1");
    assertThatThrownBy(() -> Layout.strided(DType.F64, Shape.of(3), new long[] {Long.MAX_VALUE}, 0))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
