package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.exchange.plan.Grid;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Slices and transposes share memory with the array they show. */
@Tag("gpu")
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
          .isEqualTo(
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
          assertThatThrownBy(() -> later.sortWith(sooner))
              .isInstanceOf(IllegalArgumentException.class)
              .hasMessageContaining("overlap in one array; copy one of them first");
          try (F64Array keys = later.like()) {
            assertThatThrownBy(() -> keys.sortWith(sooner, later))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("overlap in one array; copy one of them first");
            keys.sortWith(later, later);
          }
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

  @ParameterizedTest
  @ValueSource(ints = {1, 3})
  void slicesMayHaveSteps(int ranks) {
    onTeams(
        ranks,
        team -> {
          for (int halo = 0; halo < 2; halo++) {
            for (int[] over : new int[][] {{ranks, 1}, {1, ranks}}) {
              try (F64Array a = team.space(ROWS, COLUMNS).over(over).halo(halo).f64()) {
                steps(a);
              }
            }
          }
        });
  }

  private static void steps(F64Array a) {
    a.set((i, j) -> 10 * i + j);
    F64Array odd = a.slice(0, 1, 6, 2).slice(1, 0, COLUMNS, 2);
    assertThat(odd.shape().extents()).containsExactly(3, 3);
    expect(odd, (i, j) -> 10 * (2 * i + 1) + 2 * j);
    expect(odd.slice(0, 0, 3, 2).slice(1, 1, 3), (i, j) -> 10 * (4 * i + 1) + 2 * (j + 1));
    expect(a.slice(1, 4, COLUMNS, 7), (i, _) -> 10 * i + 4);
    F64Array lone = a.slice(0, 2, ROWS, Long.MAX_VALUE);
    expect(lone, (_, j) -> 20 + j);
    expect(lone.slice(0, 0, 1, 2).slice(1, 1, 4, Long.MAX_VALUE / 2), (_, _) -> 21);
    assertThat(odd.sum()).isEqualTo(9 * 32);
    assertThat(odd.minMax()).isEqualTo(new RealArray.MinMax(10, 0, 54, 8));
    assertThat(odd.count(x -> x > 50)).isEqualTo(2);
    assertThat(odd.nth(4)).isEqualTo(32);
    assertThat(odd.find(x -> x == 34)).hasValue(5);
    odd.set((i, j) -> -i - j);
    odd.map(x -> 2 * x);
    expect(a, (i, j) -> i % 2 == 1 && j % 2 == 0 ? 0 - 2.0 * (i / 2 + j / 2) : 10 * i + j);
    F64Array turned = odd.transposed(1, 0);
    turned.set((i, j) -> i + 3 * j);
    expect(odd, (i, j) -> j + 3 * i);
    try (F64Array dense = odd.like()) {
      dense.set(odd, x -> x + 1);
      odd.set(dense, odd, (x, y) -> x * y);
      expect(odd, (i, j) -> (j + 3 * i) * (j + 3 * i + 1));
      odd.copy(dense);
      assertThat(odd.dot(dense)).isEqualTo(285);
    }
    odd.generate(e -> 8 - e);
    odd.sort();
    expect(odd, (i, j) -> 3 * i + j);
    odd.scan(odd, ReduceOp.SUM);
    expect(odd, (i, j) -> 0.5 * (3 * i + j) * (3 * i + j + 1));
    odd.synchronize();
    assertThat(odd.fetch(2, 1)).isEqualTo(28);
    odd.synchronize();
    // Red and black, without a copy.
    F64Array even = a.slice(0, 0, 6, 2);
    a.slice(0, 1, 6, 2).set(even, x -> x + 1);
    expect(a.slice(0, 0, 6), (i, j) -> 10 * (i / 2 * 2) + j + i % 2);
    assertThatThrownBy(() -> a.slice(0, 2, 7, 2).set(a.slice(0, 1, 4), x -> x))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("overlap in one array");
    assertThatThrownBy(() -> a.slice(0, 1, 4, 0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("in steps of 0; give 1 or more");
  }

  @TestFactory
  Stream<DynamicTest> devicesTakeSlicesStepsAndTransposes() {
    return OnDevices.tests(
        team -> {
          int ranks = team.communicator().size();
          // Each rank compiles what its part needs: each halo with one division will do.
          for (int halo = 0; halo < 2; halo++) {
            int[] over = halo == 0 ? new int[] {ranks, 1} : new int[] {1, ranks};
            IndexSpace space = team.space(ROWS, COLUMNS).over(over).halo(halo);
            try (F64Array a = space.f64();
                I32Array b = space.i32()) {
              onDevice(a);
              turnedOnDevice(a);
              b.set((i, j) -> 10 * i + j);
              int whole = over[0] == 1 ? 0 : 1;
              long end = whole == 0 ? ROWS : COLUMNS;
              IntegerArray part = b.slice(whole, 2, end, 2);
              part.axpy(2, b.slice(whole, 1, end - 1, 2));
              assertThat(part.sum())
                  .isEqualTo(whole == 0 ? 15 * 42 + 2 * 15 * 32 : 14 * 33 + 2 * 14 * 32);
            }
          }
        });
  }

  private static void onDevice(F64Array a) {
    a.set((i, j) -> 10 * i + j);
    F64Array odd = a.slice(0, 1, 6, 2).slice(1, 0, COLUMNS, 2);
    expect(odd, (i, j) -> 10 * (2 * i + 1) + 2 * j);
    assertThat(odd.sum()).isEqualTo(9 * 32);
    assertThat(odd.minMax()).isEqualTo(new RealArray.MinMax(10, 0, 54, 8));
    odd.map(x -> 2 * x);
    odd.scale(-1);
    expect(a, (i, j) -> (i % 2 == 1 && j % 2 == 0 ? -2 : 1) * (double) (10 * i + j));
    odd.set((i, j) -> 5 * i - j);
    expect(odd, (i, j) -> 5 * i - j);
    a.slice(0, 6, 7).set((i, j) -> j);
    try (F64Array dense = odd.like();
        F64Array here = dense.space().onHost().f64()) {
      dense.set(odd, x -> x + 1);
      dense.set((i, j) -> dense.get(i, j) + odd.get(i, j));
      expect(dense, (i, j) -> 2 * (5 * i - j) + 1);
      odd.set(dense, odd, (x, y) -> x - y);
      odd.axpy(1, dense);
      expect(odd, (i, j) -> 3 * (5 * i - j) + 2);
      here.copy(odd);
      expect(here, (i, j) -> 3 * (5 * i - j) + 2);
      odd.copy(dense);
      expect(odd, (i, j) -> 2 * (5 * i - j) + 1);
    }
    odd.fill(4);
    a.set((i, j) -> 10 * i + j);
    int whole = over(a)[0] == 1 ? 0 : 1;
    a.slice(whole, 1, 4, 2).set(a.slice(whole, 0, 4, 2), x -> -x);
    expect(
        a.slice(whole, 0, 4),
        (i, j) -> whole == 0 ? sign(i) * (10 * (i - i % 2) + j) : sign(j) * (10 * i + j - j % 2));
    assertThatThrownBy(() -> a.slice(whole, 1, 4).set(a.slice(whole, 0, 3), x -> x))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("overlap in one array");
    F64Array first = a.slice(whole, 0, 3);
    assertThatThrownBy(() -> first.set((i, j) -> a.get(i, j)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("in one array; copy one of them first");
    F64Array none = a.slice(0, 3, 3);
    none.fill(1);
    assertThat(none.sum()).isZero();
  }

  private static void turnedOnDevice(F64Array a) {
    a.set((i, j) -> 10 * i + j);
    F64Array turned = a.transposed(1, 0);
    expect(turned, (i, j) -> 10 * j + i);
    turned.set((i, j) -> i * ROWS + j);
    expect(a, (i, j) -> j * ROWS + i);
    assertThat(turned.sum()).isEqualTo(595);
    try (F64Array plain = turned.space().divided(turned.space().decomposition()).f64();
        F64Array rows = a.team().space(COLUMNS, ROWS).over(over(turned)).f64()) {
      plain.copy(turned);
      expect(plain, (i, j) -> i * ROWS + j);
      rows.set((i, j) -> -i);
      rows.set(turned, rows, (x, y) -> x + y);
      expect(rows, (i, j) -> i * ROWS + j - i);
      turned.axpy(1, rows);
      expect(turned, (i, j) -> 2 * (i * ROWS + j) - i);
      assertThat(turned.dot(rows)).isEqualTo(rows.dot(turned));
    }
  }

  private static double sign(long index) {
    return index % 2 == 0 ? 1 : -1;
  }

  /** Returns how many ranks divide each axis. */
  private static int[] over(F64Array view) {
    Grid grid = (Grid) view.distribution();
    return new int[] {grid.axis(0).parts(), grid.axis(1).parts()};
  }
}
