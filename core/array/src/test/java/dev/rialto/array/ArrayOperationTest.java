package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.array.run.OperationRunner;
import dev.rialto.spi.Backends;
import dev.rialto.spi.World;
import dev.rialto.spi.data.ReduceOp;
import dev.rialto.spi.error.PeerFailedException;
import dev.rialto.spi.exec.Cancellation;
import dev.rialto.spi.exec.Executor;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Running, starting, cancelling and failing; the ranks are threads and share what tests need. */
class ArrayOperationTest {
  private static final long COUNT = 10 * OperationRunner.CHUNK;

  private interface OnTeam {
    void run(Team team, F64Array array) throws Exception;
  }

  private static void onRanks(int ranks, OnTeam body) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm);
                F64Array array = team.f64(COUNT)) {
              body.run(team, array);
            }
          });
    }
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
        (team, array) -> {
          CountDownLatch afterStart = new CountDownLatch(1);
          StartedWork<Double> filling =
              team.start(
                  () -> {
                    array.generate(
                        _ -> {
                          awaitQuietly(afterStart);
                          return 1;
                        });
                    return 0.0;
                  },
                  array);
          StartedWork<Double> sum = team.start(array::sum, array);
          assertThat(filling.isDone()).isFalse();
          assertThat(sum.isDone()).isFalse();
          afterStart.countDown();
          assertThat(sum.await()).isEqualTo((double) COUNT);
          assertThat(filling.isDone()).isTrue();
        });
  }

  private static double failing(double value) {
    throw new ArithmeticException("mine");
  }

  /** Starts work that fails on rank 1 and waits for it in another way than its await. */
  private static StartedWork<Double> startFailing(Team team, F64Array array) {
    boolean fails = team.rank() == 1;
    StartedWork<Double> work =
        team.start(
            () -> array.reduce(fails ? ArrayOperationTest::failing : x -> x, ReduceOp.SUM), array);
    try (F64Array other = team.f64(3)) {
      assertThat(other.sum()).isZero();
    }
    assertThat(work.isDone()).isTrue();
    return work;
  }

  /** Checks that a rank gets its own exception, or that of rank 1, as the cause. */
  private static void tells(Team team, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("work that was started with [F64 array")
        .hasMessageContaining("failed and was not awaited")
        .cause()
        .isInstanceOf(team.rank() == 1 ? ArithmeticException.class : PeerFailedException.class);
  }

  @Test
  void workThatFailsUnawaitedIsToldByTheNextUseOfItsArrays() {
    onRanks(
        3,
        (team, array) -> {
          F64Array view = array.slice(0, 0, COUNT / 2);
          for (ThrowingCallable use :
              List.<ThrowingCallable>of(
                  array::sum,
                  array::local,
                  view::sum,
                  () -> array.zip(array, Double::sum).sum(),
                  () -> team.start(array::sum, array).await())) {
            StartedWork<Double> work = startFailing(team, array);
            tells(team, use);
            // Once: then the array is as good as before.
            assertThat(array.sum()).isZero();
            assertThatThrownBy(work::await).hasMessageContaining(team.rank() == 1 ? "mine" : "1");
          }
          StartedWork<Double> awaited = startFailing(team, array);
          assertThatThrownBy(awaited::await).hasMessageContaining(team.rank() == 1 ? "mine" : "1");
          assertThat(array.sum()).isZero();
          F64Array closed = team.f64(5);
          var _ = startFailing(team, closed);
          tells(team, closed::close);
          assertThatThrownBy(closed::sum).hasMessageContaining("is closed");
        });
  }

  @Test
  void aRankThatFailedUnawaitedTellsTheOthersInsteadOfMeetingThem() {
    onRanks(
        3,
        (team, array) -> {
          var _ =
              team.start(
                  () -> {
                    if (team.rank() == 2) {
                      throw new ArithmeticException("mine");
                    }
                    return 0;
                  },
                  array);
          assertThatThrownBy(array::sum)
              .hasMessageContaining(team.rank() == 2 ? "mine" : "reduce failed on rank 2");
          assertThat(array.sum()).isZero();
        });
  }

  @Test
  void workThatFailsUnawaitedIsToldByTheClosingOfItsTeam() {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            Team team = Team.on(comm);
            for (int work = 0; work < 2; work++) {
              String words = "mine " + work;
              var _ =
                  team.start(
                      () -> {
                        throw new ArithmeticException(words);
                      });
            }
            assertThatThrownBy(team::close)
                .hasRootCauseMessage("mine 0")
                .satisfies(e -> assertThat(e.getSuppressed()[0]).hasMessage("mine 1"));
            team.close();
          });
    }
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
          RealArray.Condition isOne =
              x -> {
                asked.incrementAndGet();
                return x == 1;
              };
          RealArray.Condition isZero =
              x -> {
                asked.incrementAndGet();
                return x == 0;
              };
          assertThat(array.any(isOne)).isTrue();
          assertThat(array.none(isOne)).isFalse();
          assertThat(array.all(isZero)).isFalse();
        });
    // Rank 0 looks through its first chunk, rank 1 at its first element, three times.
    assertThat(asked).hasValue(3 * (OperationRunner.CHUNK + 1));
  }

  @Test
  void anOperationIsAJfrEventOfEachRank(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("operations.jfr");
    try (Recording recording = new Recording()) {
      recording.start();
      onRanks(2, (_, array) -> assertThat(array.sum()).isZero());
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
        (team, array) -> {
          StartedWork<Double> reducing =
              team.start(
                  () ->
                      array.reduce(
                          x -> {
                            awaitQuietly(cancelled);
                            return x;
                          },
                          ReduceOp.SUM),
                  array);
          if (array.team().communicator().rank() == 1) {
            reducing.cancel();
            cancelled.countDown();
          }
          assertThatThrownBy(reducing::await).isInstanceOf(CancellationException.class);
          assertThat(array.sum()).isZero();
        });
  }

  @Test
  void aRunIsCancelledByItsSwitch() {
    onRanks(
        2,
        (team, array) -> {
          Cancellation cancellation = new Cancellation();
          if (array.team().communicator().rank() == 0) {
            cancellation.cancel();
          }
          assertThatThrownBy(() -> team.run(cancellation, array::sum))
              .isInstanceOf(CancellationException.class);
          assertThat(array.sum()).isZero();
        });
  }

  @Test
  void whatAFunctionThrowsReachesItsRankAndTheOthersHearOfIt() {
    onRanks(
        3,
        (_, array) -> {
          boolean last = array.team().communicator().rank() == 2;
          RealArray.Unary failing =
              x -> {
                if (last) {
                  throw new ArithmeticException("no such value");
                }
                return x;
              };
          if (last) {
            assertThatThrownBy(() -> array.reduce(failing, ReduceOp.SUM))
                .hasMessage("no such value");
          } else {
            assertThatThrownBy(() -> array.reduce(failing, ReduceOp.SUM))
                .isInstanceOf(PeerFailedException.class)
                .hasMessageContaining("failed on rank 2");
          }
          assertThat(array.sum()).isZero();
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
                  F64Array a = team.f64(COUNT);
                  F32Array b = team.space(COUNT).divided(Decomposition.cyclic(2)).f32()) {
                a.set(i -> 1.0 / (i + 1));
                b.set(a, Math::sqrt);
                a.scan(a, ReduceOp.SUM);
                sums[round] = a.dot(b);
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
            array.set(i -> (double) Math.floorMod(i * 0x9e3779b97f4a7c15L, different));
            double before = array.sum();
            array.sort();
            // All values are integers whose sum a double holds exactly.
            assertThat(array.sum()).isEqualTo(before);
            array.synchronize();
            long first = array.elementAt(0);
            double last = first == 0 ? 0 : array.fetch(first - 1);
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
