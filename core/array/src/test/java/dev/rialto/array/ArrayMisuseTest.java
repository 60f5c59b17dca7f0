package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.ReduceOp;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mistakes get an exception that names them; numbers are what was given, or refused. */
class ArrayMisuseTest {
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

  @Test
  void integersKeepAll64Bits() {
    long odd = (1L << 62) + 1;
    onTeams(
        2,
        team -> {
          try (I64Array x = team.i64(6);
              I64Array y = team.i64(6)) {
            x.fill(odd);
            assertThat(x.min()).isEqualTo(odd);
            x.fill(0);
            y.scanBefore(x, odd, ReduceOp.SUM);
            assertThat(y.max()).isEqualTo(odd);
            x.put(Long.MIN_VALUE + 1, 5);
            x.synchronize();
            assertThat(x.fetch(5)).isEqualTo(Long.MIN_VALUE + 1);
            x.synchronize();
          }
        });
  }

  @Test
  void numbersThatATypeDoesNotHaveAreRefused() {
    onTeams(
        1,
        team -> {
          try (I8Array bytes = (I8Array) team.space(3).array(DType.I8);
              I64Array longs = team.i64(3);
              F64Array doubles = team.f64(3)) {
            assertThatIllegalArgumentException()
                .isThrownBy(() -> bytes.put(128, 0))
                .withMessageContaining("-128 to 127");
            bytes.put(-128, 0);
            assertThat(bytes.get(0)).isEqualTo((byte) -128);
            longs.put(Long.MIN_VALUE, 0);
            assertThat(longs.get(0)).isEqualTo(Long.MIN_VALUE);
            doubles.put(3, 1);
            assertThat(doubles.get(1)).isEqualTo(3);
          }
        });
  }

  @Test
  void blocksOfNegativeLengthAreRefused() {
    for (long[] lengths : new long[][] {{-1, 6}, {6, -1}}) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Decomposition.irregular(lengths))
          .withMessageContaining("has length -1; give at least 0");
    }
  }

  @Test
  void blocksAndGridsThatAreTooLargeAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Decomposition.irregular(new long[] {Long.MAX_VALUE, 1}))
        .withMessageContaining("blocks up to part 1 have more than 2^63-1 indices");
    onTeams(
        2,
        team ->
            assertThatIllegalArgumentException()
                .isThrownBy(() -> team.space(9).over(Integer.MAX_VALUE).f64())
                .withMessageContaining("a grid of 2147483647 ranks along axis 0 among 2"));
  }

  @Test
  void numbersOfElementsThatAnArrayDoesNotHaveAreRefused() {
    onTeams(
        2,
        team -> {
          try (F64Array x = team.f64(3, 4)) {
            assertThat(x.space().index(11)).containsExactly(2, 3);
            for (long element : new long[] {-1, 12, Long.MAX_VALUE, Long.MIN_VALUE}) {
              assertThatExceptionOfType(IndexOutOfBoundsException.class)
                  .isThrownBy(() -> x.space().index(element))
                  .withMessageContaining("of an array of shape 3x4, which has 12");
              assertThatExceptionOfType(IndexOutOfBoundsException.class)
                  .isThrownBy(() -> x.elementAt(element))
                  .withMessageContaining("a rank that owns " + (team.rank() == 0 ? 8 : 4));
            }
          }
        });
  }

  @Test
  void noElementsCombineIntoWhatTheOperatorStartsWith() {
    onTeams(
        2,
        team -> {
          try (F64Array doubles = team.f64(0);
              I32Array ints = team.i32(0);
              ComplexArray complex = team.c128(0)) {
            assertThat(doubles.sum()).isZero();
            assertThat(doubles.dot(doubles)).isZero();
            assertThat(doubles.reduce(ReduceOp.PRODUCT)).isEqualTo(1);
            assertThat(doubles.min()).isEqualTo(Double.POSITIVE_INFINITY);
            assertThat(ints.max()).isEqualTo(Integer.MIN_VALUE);
            assertThat(ints.reduce(ReduceOp.BIT_AND)).isEqualTo(-1);
            assertThat(complex.reduce(ReduceOp.PRODUCT)).isEqualTo(new Complex(1, 0));
            assertThatIllegalStateException()
                .isThrownBy(() -> ints.reduce(Long::sum))
                .withMessageContaining("without elements");
          }
        });
  }

  @Test
  void whatIsClosedIsNamed() {
    onTeams(
        2,
        team -> {
          F64Array x = team.f64(8);
          x.close();
          x.close();
          assertThatIllegalStateException()
              .isThrownBy(x::local)
              .withMessageContaining("F64 array 1 of")
              .withMessageContaining("closed");
          assertThatIllegalStateException().isThrownBy(() -> x.get(0));
          assertThatIllegalStateException().isThrownBy(() -> x.put(1, 0));
          assertThatIllegalStateException().isThrownBy(x::startHalo);
          assertThatIllegalStateException().isThrownBy(x::sum).withMessageContaining("closed");
          assertThatIllegalStateException().isThrownBy(() -> x.fetch(0));
          assertThatIllegalStateException().isThrownBy(() -> x.redistribute(Decomposition.hash()));
        });
    try (World world = World.local(1)) {
      world.run(
          comm -> {
            Team team = Team.on(comm);
            F64Array x = team.f64(8);
            x.close();
            team.close();
            team.close();
            assertThatIllegalStateException()
                .isThrownBy(() -> x.fill(1))
                .withMessageContaining("team is closed");
            assertThatIllegalStateException()
                .isThrownBy(() -> team.f64(8))
                .withMessageContaining("team is closed");
          });
    }
  }

  @Test
  void elementsOfViewsOfWhatIsClosedAreRefused() {
    onTeams(
        1,
        team -> {
          for (DType type : DType.values()) {
            if (!type.hasReductions()) {
              assertThatIllegalArgumentException()
                  .isThrownBy(() -> team.space(8).array(type))
                  .withMessageContaining("an array of " + type + "; kernels and programs compute");
              continue;
            }
            Array whole = team.space(8).array(type);
            Array view = whole.slice(0, 0, 8);
            whole.close();
            assertThatIllegalStateException().as("%s", type).isThrownBy(() -> read(view));
          }
        });
  }

  private static Object read(Array array) {
    return switch (array) {
      case F64Array of -> of.get(0);
      case F32Array of -> of.get(0);
      case HalfArray of -> of.get(0);
      case I64Array of -> of.get(0);
      case I32Array of -> of.get(0);
      case I8Array of -> of.get(0);
      case ComplexArray of -> of.get(0);
      default -> throw new AssertionError(array);
    };
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void aFunctionThatBeginsAnOperationIsRefused(int ranks) {
    onTeams(
        ranks,
        team -> {
          F64Array a = team.f64(1_000);
          F64Array b = team.f64(1_000);
          a.generate(i -> i);
          List<Supplier<Object>> each =
              List.of(
                  a::sum,
                  b::sum,
                  a::like,
                  () -> {
                    a.resize(1_000_000);
                    return 0;
                  },
                  () -> {
                    a.close();
                    return 0;
                  });
          for (Supplier<Object> operation : each) {
            assertThatIllegalStateException()
                .isThrownBy(() -> b.set(a, x -> operation.get().hashCode()))
                .withMessageContaining("in a function that transform")
                .withMessageContaining("do it before, and use the result in the function");
          }
          assertThat(a.sum()).isEqualTo(499_500);
        });
  }

  @Test
  void workThatIsStartedStartsNoOther() {
    onTeams(
        2,
        team -> {
          F64Array a = team.f64(10);
          StartedWork<Double> work = team.start(() -> team.start(() -> a.sum(), a).await(), a);
          assertThatIllegalStateException()
              .isThrownBy(work::await)
              .withMessageContaining("start one after the other");
          assertThat(a.sum()).isZero();
        });
  }

  @Test
  void aViewOfAZipIsRefused() {
    onTeams(
        1,
        team -> {
          RealArray zip = team.f64(5).zip(team.f64(5), (x, y) -> x);
          assertThatThrownBy(() -> zip.slice(0, 1, 3))
              .isInstanceOf(UnsupportedOperationException.class)
              .hasMessageContaining("a view of F64 array 3 of 5")
              .hasMessageContaining("a zip, whose elements are computed");
          assertThatThrownBy(() -> zip.transposed(0))
              .isInstanceOf(UnsupportedOperationException.class);
          assertThatIllegalArgumentException()
              .isThrownBy(() -> zip.histogram(0, 1, Integer.MAX_VALUE))
              .withMessageContaining("give 1 to 2147483638");
        });
  }

  @Test
  void anElementOfAZipIsRefusedByName() {
    onTeams(
        1,
        team -> {
          try (F64Array x = team.f64(4)) {
            F64Array sums = (F64Array) x.zip(x, Double::sum);
            assertThatThrownBy(() -> sums.get(1))
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("a zip");
          }
        });
  }

  @Test
  void aViewOfAnArrayThatAnOperationUsesIsLeftAlone() {
    onTeams(
        1,
        team -> {
          CountDownLatch gate = new CountDownLatch(1);
          try (F64Array x = team.f64(8)) {
            F64Array front = x.slice(0, 0, 4);
            F64Array back = x.slice(0, 4, 8);
            StartedWork<Boolean> started = team.start(() -> await(gate), front);
            F64Array middle = x.slice(0, 2, 6);
            for (F64Array used : new F64Array[] {x, front, middle}) {
              assertThatIllegalStateException()
                  .isThrownBy(used::local)
                  .withMessageContaining("while work is under way");
            }
            back.put(1, 3);
            gate.countDown();
            assertThat(started.await()).isTrue();
            CountDownLatch next = new CountDownLatch(1);
            started = team.start(() -> await(next), x);
            assertThatIllegalStateException().isThrownBy(() -> back.put(1, 3));
            next.countDown();
            assertThat(started.await()).isTrue();
            assertThat(back.fetch(3)).isOne();
          }
        });
  }

  private static boolean await(CountDownLatch gate) {
    try {
      return gate.await(60, SECONDS);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void anArrayThatAnOperationUsesIsLeftAlone() {
    onTeams(
        2,
        team -> {
          CountDownLatch gate = new CountDownLatch(1);
          try (F64Array x = team.f64(8)) {
            StartedWork<Boolean> started =
                team.start(
                    () -> {
                      x.forEach((_, _) -> assertThat(await(gate)).isTrue());
                      return true;
                    },
                    x);
            assertThatIllegalStateException()
                .isThrownBy(x::local)
                .withMessageContaining("while work is under way");
            assertThatIllegalStateException().isThrownBy(() -> x.put(1, 0));
            assertThatIllegalStateException()
                .isThrownBy(() -> x.copyFrom(MemorySegment.ofArray(new double[8])));
            gate.countDown();
            var _ = started.await();
            assertThat(x.local().byteSize()).isPositive();
          }
        });
  }

  @Test
  void anArrayWhoseHaloFliesIsNotClosedOrChanged() {
    onTeams(
        2,
        team -> {
          F64Array x = team.space(8).halo(1).periodic().f64();
          assertThatIllegalStateException()
              .isThrownBy(x::awaitHalo)
              .withMessageContaining("start it first");
          x.startHalo();
          assertThatIllegalStateException()
              .isThrownBy(x::close)
              .withMessageContaining("halo is under way");
          assertThatIllegalStateException()
              .isThrownBy(x::startHalo)
              .withMessageContaining("under way already");
          assertThatThrownBy(() -> x.resize(9)).hasMessageContaining("halo is under way");
          x.awaitHalo();
          x.close();
        });
  }

  @Test
  void arraysOfAnotherTeamAreRefused() {
    try (World world = World.local(1)) {
      world.run(
          comm -> {
            try (Team one = Team.on(comm);
                Team two = Team.on(comm);
                F64Array x = one.f64(8);
                F64Array y = two.f64(8)) {
              assertThatIllegalArgumentException()
                  .isThrownBy(() -> y.copy(x))
                  .withMessageContaining("two teams");
            }
          });
    }
  }

  @Test
  void memoryOfTheCallerThatCannotBeUsedIsRefused() {
    onTeams(
        2,
        team -> {
          try (F64Array x = team.f64(8);
              Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(JAVA_DOUBLE, 4);
            x.copyTo(memory);
            x.copyFrom(memory.asReadOnly());
            assertThatIllegalArgumentException()
                .isThrownBy(() -> x.copyTo(memory.asReadOnly()))
                .withMessageContaining("read-only");
            assertThatThrownBy(() -> x.copyTo(memory.asSlice(8)))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("32");
            assertThatThrownBy(() -> x.copyFrom(MemorySegment.ofArray(new double[3])))
                .isInstanceOf(IndexOutOfBoundsException.class);
          }
        });
  }

  /** Any sequence of right and wrong calls, the same on all ranks, ends well. */
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3})
  void anySequenceOfCallsEndsWell(long seed) {
    onTeams(
        3,
        team -> {
          Random random = new Random(seed);
          F64Array[] arrays = new F64Array[4];
          for (int i = 0; i < arrays.length; i++) {
            arrays[i] = team.f64(random.nextInt(9));
          }
          for (int step = 0; step < 100; step++) {
            int number = random.nextInt(arrays.length);
            F64Array x = arrays[number];
            F64Array y = arrays[random.nextInt(arrays.length)];
            int what = random.nextInt(9);
            long place = random.nextInt(10);
            try {
              switch (what) {
                case 0 -> x.close();
                case 1 -> {
                  x.close();
                  arrays[number] = team.f64(place);
                }
                case 2 -> x.fill((double) place);
                case 3 -> y.copy(x);
                case 4 -> {
                  double _ = x.max();
                }
                case 5 -> x.sort();
                case 6 -> x.redistribute(Decomposition.cyclic(team.communicator().size()));
                case 7 -> {
                  double _ = x.nth(place);
                }
                default -> y.scan(x, ReduceOp.SUM);
              }
            } catch (IllegalStateException
                | IllegalArgumentException
                | IndexOutOfBoundsException e) {
              assertThat(e.getMessage()).as("seed %d, step %d", seed, step).isNotBlank();
            }
          }
          for (F64Array each : arrays) {
            each.close();
          }
        });
  }
}
