package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.Backends;
import dev.rialto.spi.World;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.error.CompilationException;
import dev.rialto.spi.exec.Executor;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Functions read their own element of the array that they set, and no other. */
class SelfReadsTest {
  private static final int N = 80_000;

  private F64Array field;

  private static void onTeam(int ranks, Consumer<Team> body) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm)) {
              body.accept(team);
            }
          });
    }
  }

  private static void refused(Array set, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(set + " is set by a function that uses element [")
        .hasMessageContaining("set a second array");
  }

  private static double twice(F64Array of, long i) {
    return 2 * of.get(i);
  }

  private static boolean holds(F64Array array, double each) {
    return array.all(x -> x == each);
  }

  @Test
  void aFunctionReadsItsOwnElement() {
    onTeam(
        2,
        team -> {
          try (F64Array x = team.f64(N);
              F64Array other = x.like();
              F64Array plane = team.f64(30, 20);
              ComplexArray c = team.c128(40)) {
            x.fill(1);
            other.fill(1);
            x.set(i -> x.get(i) + other.get(i));
            assertThat(holds(x, 2)).isTrue();
            x.set(i -> twice(x, i));
            assertThat(holds(x, 4)).isTrue();
            x.set(i -> x.get(2 * i - i) + 1);
            assertThat(holds(x, 5)).isTrue();
            x.generate(i -> x.get(i) + 1);
            assertThat(holds(x, 6)).isTrue();
            plane.fill(3);
            plane.set((i, j) -> plane.get(i, j) * 2);
            assertThat(holds(plane, 6)).isTrue();
            c.set(i -> new Complex(i, 1));
            c.set(i -> c.get(i).times(2));
            assertThat(c.sum().im()).isEqualTo(80);
          }
        });
  }

  @Test
  void othersOfTheArrayThatItSetsAreRefused() {
    onTeam(
        2,
        team -> {
          try (F64Array x = team.f64(N);
              F64Array plane = team.f64(30, 20);
              I32Array ints = team.i32(50);
              ComplexArray c = team.c128(40)) {
            long low = team.rank() * (N / 2L);
            refused(x, () -> x.set(i -> x.get(Math.max(low, i - 1))));
            refused(x, () -> x.generate(i -> x.get(Math.max(low, i - 1))));
            refused(x, () -> x.set(i -> twice(x, low)));
            refused(plane, () -> plane.set((i, j) -> plane.get(i, 19 - j)));
            refused(ints, () -> ints.set(i -> ints.get(25 * (i / 25))));
            refused(c, () -> c.set(i -> c.get(20 * (i / 20))));
            refused(x, () -> x.map(v -> v + x.get(low)));
            refused(
                x,
                () ->
                    x.set(
                        i -> {
                          if (i > low) {
                            x.set(i - 1, 5);
                          }
                          return 0;
                        }));
            x.set(i -> 1);
            assertThat(x.sum()).isEqualTo(N);
            assertThat(x.get(low)).isEqualTo(1);
          }
        });
  }

  @Test
  void haloLayersAreOthersToo() {
    onTeam(
        2,
        team -> {
          IndexSpace line = team.space(40).halo(1).periodic();
          try (F64Array x = line.f64();
              F64Array y = line.f64()) {
            x.fill(1);
            y.fill(1);
            x.updateHalo();
            refused(x, () -> x.set(i -> x.get(i - 1)));
            y.set(i -> y.get(i) + x.get(i - 1), x);
            assertThat(holds(y, 2)).isTrue();
            refused(y, () -> y.set(i -> y.get(i + 1) + x.get(i - 1), x));
          }
        });
  }

  @Test
  void viewsOfTheSameMemoryAreNoWayAround() {
    onTeam(
        1,
        team -> {
          try (F64Array x = team.f64(6, 8)) {
            F64Array left = x.slice(1, 0, 4);
            F64Array even = x.slice(1, 0, 8, 2);
            x.set((i, j) -> j);
            refused(left, () -> left.set((i, j) -> x.get(i, (j + 1) % 4)));
            refused(x, () -> x.set((i, j) -> left.get(i, j / 2)));
            refused(even, () -> even.set((i, j) -> left.get(i, 2 * (j % 2))));
            x.set((i, j) -> j);
            left.set((i, j) -> x.get(i, j + 4));
            even.set((i, j) -> x.get(i, 2 * j + 1) + x.get(i, 2 * j));
            assertThat(x.transposed(1, 0).slice(1, 0, 1).gather(0))
                .containsExactly(9, 5, 13, 7, 9, 5, 13, 7);
          }
        });
  }

  @Test
  void arraysThatAFunctionFindsElsewhereAreSeen() {
    onTeam(
        1,
        team -> {
          try (F64Array x = team.f64(40)) {
            field = x;
            x.fill(1);
            x.set(i -> field.get(i) + 1);
            assertThat(holds(x, 2)).isTrue();
            refused(x, () -> x.set(i -> field.get(0)));
          }
        });
  }

  @Test
  void threadsOfAnExecutorAreWatchedToo() {
    try (Executor executor = Backends.get("cpu").openExecutor(3);
        World world = World.local(1)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm, executor);
                F64Array x = team.f64(10L * N)) {
              field = x;
              x.fill(1);
              x.set(i -> field.get(i) + 1);
              assertThat(holds(x, 2)).isTrue();
              refused(x, () -> x.set(i -> field.get(N)));
            }
          });
    }
  }

  /**
   * Returns the index of item 0, from what is said of an item that read the element before its own.
   * On a GPU any such item may be named.
   */
  private static long firstIndex(String said) {
    Matcher found = Pattern.compile("item (\\d+) reads index (\\d+) ").matcher(said);
    assertThat(found.find()).as(said).isTrue();
    return Long.parseLong(found.group(2)) - Long.parseLong(found.group(1)) + 1;
  }

  @Tag("gpu")
  @TestFactory
  Stream<DynamicTest> devicesRefuseTheSame() {
    return OnDevices.tests(
        team -> {
          try (F64Array x = team.f64(60);
              F64Array plane = team.f64(12, 5)) {
            x.fill(1);
            x.set(i -> x.get(i) + 1);
            x.set(i -> twice(x, i));
            assertThat(x.sum()).isEqualTo(240);
            plane.fill(3);
            plane.set((i, j) -> plane.get(i, j) * 2);
            assertThat(plane.sum()).isEqualTo(360);
            long low = 60L / team.size() * team.rank();
            x.set(i -> x.get(Math.max(low, i - 1)));
            assertThatThrownBy(x::sum)
                .rootCause()
                .message()
                .contains("of axis 0", "which is being set")
                .satisfies(said -> assertThat(firstIndex(said)).isEqualTo(low));
            plane.set((i, j) -> plane.get(i, 4 - j));
            assertThatThrownBy(plane::sum)
                .rootCause()
                .hasMessageContaining("of axis 1")
                .hasMessageContaining("which is being set");
          }
        });
  }

  @Tag("gpu")
  @TestFactory
  Stream<DynamicTest> functionsOfElementsReadNoArraysOnDevices() {
    return OnDevices.tests(
        team -> {
          try (F64Array x = team.f64(60);
              F64Array y = x.like()) {
            for (ThrowingCallable each :
                new ThrowingCallable[] {
                  () -> x.generate(i -> x.get(i + 1_000_000_000_000L)),
                  () -> x.generate(i -> y.get(i)),
                  () -> x.map(v -> v + x.get(0)),
                  () -> x.set(y, v -> v + y.get(0)),
                  () -> x.reduce(v -> v + y.get(0), ReduceOp.SUM)
                }) {
              assertThatThrownBy(each)
                  .isInstanceOf(CompilationException.class)
                  .hasMessageContaining("reads F64 array")
                  .hasMessageContaining("SelfReadsTest.java:");
            }
          }
        });
  }
}
