package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Slices and transposes share memory with the array they show. */
class ViewsTest {
  private static final long ROWS = 7;
  private static final long COLUMNS = 5;

  private static void onTeams(int ranks, Consumer<Team> body) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm)) {
              body.accept(team);
            }
          });
    }
  }

  private interface Element {
    double of(long i, long j);
  }

  private static void expect(RealArray array, Element wanted) {
    double[] all = array.gather(0);
    long columns = array.shape().extent(1);
    if (array.team().communicator().rank() == 0) {
      assertThat(all)
          .as("%s", array)
          .containsExactly(
              LongStream.range(0, array.shape().count())
                  .mapToDouble(e -> wanted.of(e / columns, e % columns))
                  .toArray());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void algorithmsTakeSlicesAndTransposes(int ranks) {
    onTeams(
        ranks,
        team -> {
          for (int halo = 0; halo < 2; halo++) {
            for (int[] over : new int[][] {{ranks, 1}, {1, ranks}}) {
              IndexSpace space = team.space(ROWS, COLUMNS).over(over).halo(halo);
              try (F64Array a = space.f64()) {
                slices(a);
                transposes(a);
              }
            }
          }
        });
  }

  private static void slices(F64Array a) {
    a.set((i, j) -> 10 * i + j);
    F64Array inner = a.slice(0, 1, 6).slice(1, 2, 5);
    assertThat(inner.shape().extents()).containsExactly(5, 3);
    expect(inner, (i, j) -> 10 * (i + 1) + j + 2);
    assertThat(inner.sum()).isEqualTo(15 * 33);
    assertThat(inner.minMax()).isEqualTo(new RealArray.MinMax(12, 0, 54, 14));
    assertThat(inner.count(x -> x > 50)).isEqualTo(3);
    inner.set((i, j) -> -i - j);
    expect(a, (i, j) -> i >= 1 && i < 6 && j >= 2 ? -(i - 1) - (j - 2) : 10 * i + j);
    inner.map(x -> x * 2);
    inner.synchronize();
    assertThat(inner.fetch(4, 2)).isEqualTo(-12);
    inner.synchronize();
    if (a.team().communicator().rank() == 0) {
      inner.put(99, 4, 2);
    }
    inner.synchronize();
    assertThat(a.fetch(5, 4)).isEqualTo(99);
    a.synchronize();
    inner.fill(4);
    try (F64Array dense = inner.like();
        F64Array other = a.team().f64(5, 3)) {
      dense.set(inner, x -> x + 1);
      other.copy(inner);
      inner.set(dense, other, (x, y) -> x * y);
      expect(inner, (_, _) -> 20);
      assertThat(inner.dot(dense)).isEqualTo(15 * 100);
    }
    inner.generate(e -> 14 - e);
    inner.sort();
    expect(inner, (i, j) -> 3 * i + j);
    inner.scan(inner, ReduceOp.SUM);
    expect(inner, (i, j) -> 0.5 * (3 * i + j) * (3 * i + j + 1));
    // Nothing around the slice was touched.
    expect(a.slice(1, 0, 2), (i, j) -> 10 * i + j);
    expect(a.slice(0, 6, 7), (_, j) -> 60 + j);
    F64Array none = a.slice(0, 3, 3);
    none.fill(1);
    assertThat(none.sum()).isZero();
  }

  private static void transposes(F64Array a) {
    a.set((i, j) -> 10 * i + j);
    F64Array turned = a.transposed(1, 0);
    assertThat(turned.shape().extents()).containsExactly(COLUMNS, ROWS);
    expect(turned, (i, j) -> 10 * j + i);
    turned.set((i, j) -> i * ROWS + j);
    expect(a, (i, j) -> j * ROWS + i);
    assertThat(turned.sum()).isEqualTo(595);
    try (F64Array plain = a.team().f64(COLUMNS, ROWS)) {
      plain.copy(turned);
      expect(plain, (i, j) -> i * ROWS + j);
      plain.set(turned, plain, (x, y) -> x - y);
      assertThat(plain.norm()).isZero();
    }
    expect(turned.slice(0, 1, 3).transposed(1, 0), (i, j) -> (j + 1) * ROWS + i);
    turned.transposed(1, 0).map(x -> x + 1);
    expect(a, (i, j) -> j * ROWS + i + 1);
    assertThat(turned.max()).isEqualTo(35);
  }

  @Test
  void indicesAreThoseOfTheView() {
    onTeams(
        1,
        team -> {
          try (I32Array a = team.i32(4, 5, 6)) {
            a.set((i, j, k) -> 100 * i + 10 * j + k);
            I32Array view = a.slice(1, 2, 4).transposed(2, 0, 1);
            assertThat(view.get(5, 3, 1)).isEqualTo(335);
            view.set(0, 0, 0, -1);
            assertThat(a.get(0, 2, 0)).isEqualTo(-1);
            assertThatThrownBy(() -> view.get(0, 0, 2))
                .isInstanceOf(IndexOutOfBoundsException.class);
          }
        });
  }

  @Test
  void neighboursAreMultipliedWithoutACopy() {
    onTeams(
        3,
        team -> {
          for (DType type : new DType[] {DType.F64, DType.F32}) {
            try (RealArray x = (RealArray) team.space(100).array(type)) {
              x.generate(i -> i);
              long wanted = LongStream.range(1, 100).map(i -> i * (i - 1)).sum();
              assertThat(x.slice(0, 1, 100).dot(x.slice(0, 0, 99))).isEqualTo((double) wanted);
            }
          }
        });
  }

  @Test
  void whatCannotBeIsRefused() {
    onTeams(
        2,
        team -> {
          F64Array a = team.f64(8, 4);
          try (F64Array dealt = team.space(8, 4).divided(Decomposition.cyclic(2)).f64()) {
            assertThatThrownBy(() -> dealt.slice(0, 1, 3))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("divide it in blocks");
          }
          assertThatThrownBy(() -> a.slice(0, 2, 9))
              .isInstanceOf(IndexOutOfBoundsException.class)
              .hasMessageContaining("from 2 to 9");
          assertThatThrownBy(() -> a.slice(2, 0, 1)).isInstanceOf(IllegalArgumentException.class);
          assertThatThrownBy(() -> a.transposed(0, 0)).isInstanceOf(IllegalArgumentException.class);
          F64Array later = a.slice(0, 1, 8);
          F64Array sooner = a.slice(0, 0, 7);
          assertThatThrownBy(() -> later.set(sooner, x -> x))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("overlap in one array; copy one of them first");
          assertThatThrownBy(() -> later.resize(3, 3))
              .isInstanceOf(UnsupportedOperationException.class)
              .hasMessageContaining("a view");
          assertThatThrownBy(later::updateHalo).isInstanceOf(IllegalStateException.class);
          a.resize(8, 5);
          assertThatThrownBy(later::sum)
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("make the view anew");
          F64Array last = a.slice(1, 0, 2);
          a.close();
          assertThatThrownBy(last::sum)
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("is closed");
        });
  }

  @TestFactory
  Stream<DynamicTest> devicesRefuseViewsByName() {
    return OnDevices.tests(
        team -> {
          try (F64Array a = team.f64(8, 4)) {
            assertThatThrownBy(() -> a.slice(0, 1, 3))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("a slice of")
                .hasMessageContaining("space().onHost()");
          }
        });
  }
}
