package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.spi.Backends;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.spi.error.PeerFailedException;
import dev.rialto.spi.exec.Cancellation;
import dev.rialto.spi.exec.Executor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Running, starting, cancelling and failing; the ranks are threads and share what tests need. */
@Timeout(60)
class OperationTest {
  private static final Shape SHAPE = Shape.of(10 * Run.CHUNK);

  private interface OnTeam {
    void run(Team team, DistributedArray array) throws Exception;
  }

  private static void onRanks(int ranks, OnTeam body) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm);
                DistributedArray array = team.array(DType.F64, SHAPE, Decomposition.block())) {
              body.run(team, array);
            }
          });
    }
  }

  private static double sum(DistributedArray array) {
    return Reduce.of(array, Operator.SUM).run().asDouble();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void aStartedOperationRunsWhileItsRankDoesOtherThings() {
    onRanks(
        3,
        (_, array) -> {
          CountDownLatch afterStart = new CountDownLatch(1);
          Started<DistributedArray> filling =
              Elementwise.generate(
                      array,
                      Generator.ofDoubles(
                          _ -> {
                            awaitQuietly(afterStart);
                            return 1;
                          }))
                  .start();
          Started<Scalar> sum = Reduce.of(array, Operator.SUM).start();
          assertThat(filling.isDone()).isFalse();
          assertThat(sum.isDone()).isFalse();
          afterStart.countDown();
          assertThat(sum.await().asDouble()).isEqualTo((double) SHAPE.count());
          assertThat(filling.isDone()).isTrue();
        });
  }

  @Test
  void anElementThatDecidesStopsAllRanks() {
    AtomicLong asked = new AtomicLong();
    onRanks(
        2,
        (team, array) -> {
          if (team.communicator().rank() == 1) {
            array.local().set(JAVA_DOUBLE, 0, 1);
          }
          Condition isOne =
              Condition.ofDoubles(
                  x -> {
                    asked.incrementAndGet();
                    return x == 1;
                  });
          Condition isZero =
              Condition.ofDoubles(
                  x -> {
                    asked.incrementAndGet();
                    return x == 0;
                  });
          assertThat(Search.any(array, isOne).run()).isTrue();
          assertThat(Search.none(array, isOne).run()).isFalse();
          assertThat(Search.all(array, isZero).run()).isFalse();
        });
    // Rank 0 looks through its first chunk, rank 1 at its first element, three times.
    assertThat(asked).hasValue(3 * (Run.CHUNK + 1));
  }

  @Test
  void anOperationIsAJfrEventOfEachRank(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("operations.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      onRanks(2, (_, array) -> assertThat(sum(array)).isZero());
      recording.stop();
      recording.dump(file);
    }
    assertThat(
            RecordingFile.readAllEvents(file).stream()
                .filter(
                    event -> event.getEventType().getName().equals("dev.rialto.ArrayOperation")))
        .allSatisfy(
            event -> {
              assertThat(event.getString("operation")).isEqualTo("reduce");
              assertThat(event.getBoolean("completed")).isTrue();
              assertThat(event.getDuration("communicated")).isLessThan(event.getDuration());
            })
        .extracting(event -> event.getInt("rank"))
        .containsExactlyInAnyOrder(0, 1);
  }

  @Test
  void cancellingOnOneRankStopsAllAndLeavesTheTeamUsable() {
    CountDownLatch cancelled = new CountDownLatch(1);
    onRanks(
        3,
        (_, array) -> {
          Started<Scalar> reducing =
              Reduce.transformed(
                      array,
                      Mapping.ofDoubles(
                          x -> {
                            awaitQuietly(cancelled);
                            return x;
                          }),
                      Operator.SUM)
                  .start();
          if (array.team().communicator().rank() == 1) {
            reducing.cancel();
            cancelled.countDown();
          }
          assertThatThrownBy(reducing::await).isInstanceOf(CancellationException.class);
          assertThat(sum(array)).isZero();
        });
  }

  @Test
  void aRunIsCancelledByItsSwitch() {
    onRanks(
        2,
        (_, array) -> {
          Cancellation cancellation = new Cancellation();
          Operation<DistributedArray> sort = Sort.ascending(array);
          if (array.team().communicator().rank() == 0) {
            cancellation.cancel();
          }
          assertThatThrownBy(() -> sort.run(cancellation))
              .isInstanceOf(CancellationException.class);
          assertThat(sum(array)).isZero();
        });
  }

  @Test
  void whatAFunctionThrowsReachesItsRankAndTheOthersHearOfIt() {
    onRanks(
        3,
        (_, array) -> {
          boolean last = array.team().communicator().rank() == 2;
          Operation<Scalar> failing =
              Reduce.transformed(
                  array,
                  Mapping.ofDoubles(
                      x -> {
                        if (last) {
                          throw new ArithmeticException("no such value");
                        }
                        return x;
                      }),
                  Operator.SUM);
          if (last) {
            assertThatThrownBy(failing::run).hasMessage("no such value");
          } else {
            assertThatThrownBy(failing::run)
                .isInstanceOf(PeerFailedException.class)
                .hasMessageContaining("failed on rank 2");
          }
          assertThat(sum(array)).isZero();
        });
  }

  @Test
  void resultsDoNotDependOnTheThreadsOfTheExecutor() {
    try (Executor executor = Backends.get("cpu").openExecutor(3);
        World world = World.local(2)) {
      world.run(
          comm -> {
            double[] sums = new double[2];
            for (int round = 0; round < 2; round++) {
              try (Team team = round == 0 ? Team.on(comm) : Team.on(comm, executor);
                  DistributedArray a = team.array(DType.F64, SHAPE, Decomposition.block());
                  DistributedArray b = team.array(DType.F32, SHAPE, Decomposition.cyclic(2))) {
                var _ = Elementwise.generate(a, Generator.ofDoubles(i -> 1.0 / (i + 1))).run();
                var _ = Elementwise.transform(a, b, Mapping.ofDoubles(Math::sqrt)).run();
                var _ = Scan.inclusive(a, a, Operator.SUM).run();
                sums[round] = Reduce.dot(a, b).run().asDouble();
              }
            }
            assertThat(sums[1]).isEqualTo(sums[0]);
          });
    }
  }

  @Test
  void sortingManyElementsOfWhichManyAreEqual() {
    onRanks(
        3,
        (_, array) -> {
          for (long different : new long[] {1, 7, 1L << 30}) {
            var _ =
                Elementwise.generate(
                        array,
                        Generator.ofDoubles(
                            i -> (double) Math.floorMod(i * 0x9e3779b97f4a7c15L, different)))
                    .run();
            double before = sum(array);
            var _ = Sort.ascending(array).run();
            // All values are integers whose sum a double holds exactly.
            assertThat(sum(array)).isEqualTo(before);
            array.synchronize();
            long first = array.elementAt(0);
            double last = first == 0 ? 0 : array.get(first - 1).asDouble();
            for (double value : array.local().toArray(JAVA_DOUBLE)) {
              if (value < last) {
                throw new AssertionError(value + " after " + last);
              }
              last = value;
            }
            array.synchronize();
          }
        });
  }
}
