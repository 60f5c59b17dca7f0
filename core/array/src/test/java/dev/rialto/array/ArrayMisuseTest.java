package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.exchange.plan.Halo;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mistakes get an exception that names them; numbers are what was given, or refused. */
@Timeout(120)
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

  private static DistributedArray array(Team team, DType type, long count) {
    return team.array(type, Shape.of(count), Decomposition.block());
  }

  @Test
  void integersKeepAll64Bits() {
    long odd = (1L << 62) + 1;
    onTeams(
        2,
        team -> {
          try (DistributedArray x = array(team, DType.I64, 6);
              DistributedArray y = array(team, DType.I64, 6)) {
            var _ = Elementwise.fill(x, odd).run();
            assertThat(Reduce.of(x, Operator.MIN).run().asLong()).isEqualTo(odd);
            var _ = Elementwise.fill(x, 0).run();
            var _ = Scan.exclusive(x, y, odd, Operator.SUM).run();
            assertThat(Reduce.of(y, Operator.MAX).run().asLong()).isEqualTo(odd);
            x.put(Long.MIN_VALUE + 1, 5);
            x.synchronize();
            assertThat(x.get(5).asLong()).isEqualTo(Long.MIN_VALUE + 1);
            x.synchronize();
          }
        });
  }

  @Test
  void numbersThatATypeDoesNotHaveAreRefused() {
    onTeams(
        1,
        team -> {
          try (DistributedArray bytes = array(team, DType.I8, 3);
              DistributedArray longs = array(team, DType.I64, 3);
              DistributedArray doubles = array(team, DType.F64, 3)) {
            assertThatIllegalArgumentException()
                .isThrownBy(() -> Elementwise.fill(longs, 2.5))
                .withMessageContaining("2.5")
                .withMessageContaining("I64");
            assertThatIllegalArgumentException()
                .isThrownBy(() -> Elementwise.fill(longs, Double.NaN));
            assertThatIllegalArgumentException().isThrownBy(() -> longs.put(0x1p63, 0));
            assertThatIllegalArgumentException()
                .isThrownBy(() -> bytes.put(128, 0))
                .withMessageContaining("-128 to 127");
            bytes.put(-128, 0);
            assertThat(bytes.get(0).asLong()).isEqualTo(-128);
            longs.put(-0x1p63, 0);
            assertThat(longs.get(0).asLong()).isEqualTo(Long.MIN_VALUE);
            doubles.put(3, 1);
            assertThat(doubles.get(1).asDouble()).isEqualTo(3);
          }
        });
  }

  @Test
  void noElementsCombineIntoWhatTheOperatorStartsWith() {
    onTeams(
        2,
        team -> {
          try (DistributedArray doubles = array(team, DType.F64, 0);
              DistributedArray ints = array(team, DType.I32, 0);
              DistributedArray complex = array(team, DType.C128, 0)) {
            assertThat(Reduce.of(doubles, Operator.SUM).run().asDouble()).isZero();
            assertThat(Reduce.dot(doubles, doubles).run().asDouble()).isZero();
            assertThat(Reduce.of(doubles, Operator.PRODUCT).run().asDouble()).isEqualTo(1);
            assertThat(Reduce.of(doubles, Operator.MIN).run().asDouble())
                .isEqualTo(Double.POSITIVE_INFINITY);
            assertThat(Reduce.of(ints, Operator.MAX).run().asLong()).isEqualTo(Integer.MIN_VALUE);
            assertThat(Reduce.of(complex, Operator.PRODUCT).run().asComplex())
                .isEqualTo(new Complex(1, 0));
            assertThatIllegalStateException()
                .isThrownBy(() -> Reduce.of(ints, Operator.ofLongs(Long::sum)).run())
                .withMessageContaining("without elements");
          }
        });
  }

  @Test
  void whatIsClosedIsNamed() {
    onTeams(
        2,
        team -> {
          DistributedArray x = array(team, DType.F64, 8);
          Operation<Scalar> sum = Reduce.of(x, Operator.SUM);
          x.close();
          x.close();
          assertThatIllegalStateException()
              .isThrownBy(x::local)
              .withMessageContaining("F64 array 1 of")
              .withMessageContaining("closed");
          assertThatIllegalStateException().isThrownBy(() -> x.get(0));
          assertThatIllegalStateException().isThrownBy(() -> x.put(1, 0));
          assertThatIllegalStateException().isThrownBy(x::startHalo);
          assertThatIllegalStateException().isThrownBy(sum::run).withMessageContaining("closed");
          assertThatIllegalStateException().isThrownBy(() -> x.redistribute(Decomposition.hash()));
        });
    try (World world = World.local(1)) {
      world.run(
          comm -> {
            Team team = Team.on(comm);
            DistributedArray x = array(team, DType.F64, 8);
            Operation<DistributedArray> fill = Elementwise.fill(x, 1);
            x.close();
            team.close();
            team.close();
            assertThatIllegalStateException()
                .isThrownBy(fill::run)
                .withMessageContaining("team is closed");
            assertThatIllegalStateException()
                .isThrownBy(() -> array(team, DType.F64, 8))
                .withMessageContaining("team is closed");
          });
    }
  }

  @Test
  void anArrayThatAnOperationUsesIsLeftAlone() {
    onTeams(
        2,
        team -> {
          CountDownLatch gate = new CountDownLatch(1);
          try (DistributedArray x = array(team, DType.F64, 8)) {
            Started<?> started =
                Elementwise.forEach(
                        x,
                        Visitor.ofDoubles(
                            (_, _) -> {
                              try {
                                gate.await();
                              } catch (InterruptedException e) {
                                throw new IllegalStateException(e);
                              }
                            }))
                    .start();
            assertThatIllegalStateException()
                .isThrownBy(x::local)
                .withMessageContaining("'forEach' is under way");
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
          DistributedArray x =
              team.array(
                  DType.F64, Shape.of(8), Decomposition.block(), Halo.Stencil.of(1, 1, true, true));
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
          assertThatThrownBy(() -> x.resize(Shape.of(9)).run())
              .hasMessageContaining("halo is under way");
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
                DistributedArray x = array(one, DType.F64, 8);
                DistributedArray y = array(two, DType.F64, 8)) {
              assertThatIllegalArgumentException()
                  .isThrownBy(() -> Elementwise.copy(x, y))
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
          try (DistributedArray x = array(team, DType.F64, 8);
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
          DistributedArray[] arrays = new DistributedArray[4];
          for (int i = 0; i < arrays.length; i++) {
            arrays[i] = array(team, DType.F64, random.nextInt(9));
          }
          for (int step = 0; step < 100; step++) {
            int number = random.nextInt(arrays.length);
            DistributedArray x = arrays[number];
            DistributedArray y = arrays[random.nextInt(arrays.length)];
            int what = random.nextInt(9);
            long place = random.nextInt(10);
            try {
              switch (what) {
                case 0 -> x.close();
                case 1 -> {
                  x.close();
                  arrays[number] = array(team, DType.F64, place);
                }
                case 2 -> Elementwise.fill(x, place).run();
                case 3 -> Elementwise.copy(x, y).run();
                case 4 -> Reduce.of(x, Operator.MAX).run();
                case 5 -> Sort.ascending(x).run();
                case 6 -> x.redistribute(Decomposition.cyclic(team.communicator().size())).run();
                case 7 -> Select.nth(x, place).run();
                default -> Scan.inclusive(x, y, Operator.SUM).run();
              }
            } catch (IllegalStateException
                | IllegalArgumentException
                | IndexOutOfBoundsException e) {
              assertThat(e.getMessage()).as("seed %d, step %d", seed, step).isNotBlank();
            }
          }
          for (DistributedArray each : arrays) {
            each.close();
          }
        });
  }
}
