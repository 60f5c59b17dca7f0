package dev.rialto.sparse;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.array.Array;
import dev.rialto.array.F64Array;
import dev.rialto.array.Team;
import dev.rialto.exchange.plan.Overlap;
import dev.rialto.sparse.local.Scalar;
import dev.rialto.sparse.local.Values;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Updates that are started and awaited, against sums over what every rank has. */
@Timeout(120)
class StartedUpdateTest {
  private static final int SIZE = 23;

  /** The indices that each rank owns and needs, known to all ranks. */
  private record Pattern(List<TreeSet<Long>> owned, List<TreeSet<Long>> needed) {
    static Pattern random(int ranks, Random random) {
      Pattern made = new Pattern(new ArrayList<>(), new ArrayList<>());
      for (int rank = 0; rank < ranks; rank++) {
        made.owned.add(new TreeSet<>());
        made.needed.add(new TreeSet<>());
      }
      for (long i = 0; i < SIZE; i++) {
        made.owned.get(random.nextInt(ranks)).add(i);
        if (random.nextInt(3) == 0) {
          made.owned.get(random.nextInt(ranks)).add(i);
        }
        for (int rank = 0; rank < ranks; rank++) {
          if (random.nextInt(3) == 0 && !made.owned.get(rank).contains(i)) {
            made.needed.get(rank).add(i);
          }
        }
      }
      return made;
    }

    IndexMap map(Team team) {
      return IndexMap.lists(team, SIZE, longs(owned.get(team.rank())))
          .need(longs(needed.get(team.rank())))
          .assemble();
    }

    int master(long i) {
      int rank = 0;
      while (!owned.get(rank).contains(i)) {
        rank++;
      }
      return rank;
    }

    /** Returns what a rank that owns an index has of the sum of all that own it. */
    double overlap(Overlap.Rule rule, int update, long i) {
      double sum = 0;
      int count = 0;
      for (int rank = 0; rank < owned.size(); rank++) {
        if (owned.get(rank).contains(i)) {
          sum += value(update, rank, i);
          count++;
        }
      }
      return switch (rule) {
        case SUM -> sum;
        case AVERAGE -> sum / count;
        case MASTER -> value(update, master(i), i);
      };
    }

    /** Returns what other ranks add to an index that they need. */
    double added(int update, int owner, long i) {
      double sum = 0;
      for (int rank = 0; rank < needed.size() && owner == master(i); rank++) {
        sum += needed.get(rank).contains(i) ? value(update, rank, i) : 0;
      }
      return sum;
    }

    private static long[] longs(TreeSet<Long> set) {
      return set.stream().mapToLong(Long::longValue).toArray();
    }
  }

  /** A whole number that is another for each update, rank and index. */
  private static double value(int update, int rank, long i) {
    return 1 + i + 32L * rank + 1024.0 * update;
  }

  private static void set(Array array, IndexMap map, int from, int update) {
    Values values = Values.zeros(array.type(), array.distribution().localCount(map.comm().rank()));
    int width = width(array, map, from);
    for (int i = 0; i < values.size(); i++) {
      values.set(i, value(update, map.comm().rank(), map.global(from + i / width)), 0);
    }
    array.copyFrom(values.memory());
  }

  private static int width(Array array, IndexMap map, int from) {
    int indices = from == 0 ? map.owned() : map.locals() - map.owned();
    return indices == 0 ? 1 : (int) array.distribution().localCount(map.comm().rank()) / indices;
  }

  private interface Expected {
    double at(long global);
  }

  private static void check(Array array, IndexMap map, int from, Expected expected, String what) {
    Values values = Values.zeros(array.type(), array.distribution().localCount(map.comm().rank()));
    array.copyTo(values.memory());
    int width = width(array, map, from);
    for (int i = 0; i < values.size(); i++) {
      long global = map.global(from + i / width);
      assertThat(values.re(i)).as("%s, index %d", what, global).isEqualTo(expected.at(global));
    }
  }

  /** An update that is under way, and the check of what it leaves. */
  private record Flight(StartedUpdate update, Runnable check) {}

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void eachRankAwaitsInAnOrderOfItsOwn(int ranks) {
    for (long seed = 0; seed < 3; seed++) {
      long s = seed;
      Pattern pattern = Pattern.random(ranks, new Random(seed));
      DType type = List.of(DType.F64, DType.C128, DType.F32).get((int) seed);
      Ranks.run(ranks, team -> flights(team, pattern, type, s));
    }
  }

  private static void flights(Team team, Pattern pattern, DType type, long seed) {
    // All ranks start the same updates.
    Random together = new Random(seed + 100);
    Random alone = new Random(seed * 31 + team.rank());
    List<IndexMap> maps = List.of(pattern.map(team), pattern.map(team));
    List<String> schemes =
        List.of("point-to-point", "neighbor", "all-to-all", "rma-pull", "rma-push", "shared");
    for (int round = 0; round < 6; round++) {
      maps.get(round % 2).scheme(schemes.get(round));
      List<Flight> flights = new ArrayList<>();
      int starts = 2 + together.nextInt(9);
      for (int update = 0; update < starts; update++) {
        IndexMap map = maps.get(together.nextInt(2));
        int width = 1 + together.nextInt(2);
        flights.add(start(pattern, map, type, width, together.nextInt(5), update));
        if (together.nextInt(3) == 0) {
          // One that waits, while others are under way.
          try (TestVector x = new TestVector(map, DType.F64)) {
            x.fill(Scalar.of(2)).updateOverlap(Overlap.Rule.AVERAGE);
            assertThat(x.norm1()).isEqualTo(2.0 * SIZE);
          }
        }
      }
      Collections.shuffle(flights, alone);
      flights.forEach(flight -> flight.update.await());
      flights.forEach(flight -> flight.check.run());
    }
  }

  private static Flight start(
      Pattern pattern, IndexMap map, DType type, int width, int kind, int update) {
    int rank = map.comm().rank();
    Array x = (width == 1 ? map.space() : map.space(width)).array(type);
    Array halo = map.haloSpace(width).array(type);
    String what = "update %d, kind %d, rank %d".formatted(update, kind, rank);
    set(x, map, 0, update);
    set(halo, map, map.owned(), update);
    try (Vectors v = Vectors.of(map, x)) {
      StartedUpdate started;
      Runnable check;
      switch (kind) {
        case 0 -> {
          started = v.startHalo(x, halo);
          check =
              () -> check(halo, map, map.owned(), i -> value(update, pattern.master(i), i), what);
        }
        case 1 -> {
          started = v.startAddHalo(halo, x);
          check = () -> check(x, map, 0, i -> 7 + pattern.added(update, rank, i), what);
        }
        default -> {
          Overlap.Rule rule = List.of(Overlap.Rule.values()).get(kind - 2);
          started = v.startOverlap(x, rule);
          check =
              () ->
                  check(
                      x,
                      map,
                      0,
                      i ->
                          pattern.owned.stream().filter(all -> all.contains(i)).count() > 1
                                  && (rule != Overlap.Rule.MASTER || pattern.master(i) != rank)
                              ? pattern.overlap(rule, update, i)
                              : 7,
                      what);
        }
      }
      // Elements that travel were taken; what is written now is seen where none arrive.
      v.fill(x, Scalar.of(7));
      if (kind > 0) {
        set(halo, map, map.owned(), update + 1);
      }
      return new Flight(started, check);
    }
  }

  @Test
  void copiesThatWaitAndThatAreStartedAgree() {
    Ranks.run(
        3,
        team -> {
          IndexMap map = Pattern.random(3, new Random(5)).map(team);
          try (F64Array x = map.space().f64();
              F64Array at = map.haloSpace(1).f64();
              F64Array later = at.like();
              Vectors v = Vectors.of(map, x)) {
            set(x, map, 0, 3);
            v.updateHalo(x, at);
            v.startHalo(x, later).await();
            assertThat(later.sum()).isEqualTo(at.sum());
          }
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void misuseIsNamedAndTheOthersArrive(int ranks) {
    Ranks.run(
        ranks,
        team -> {
          IndexMap map = Pattern.random(ranks, new Random(1)).map(team);
          F64Array x = map.space().f64();
          F64Array gone = map.haloSpace(1).f64();
          F64Array halo = map.haloSpace(1).f64();
          StartedUpdate first;
          StartedUpdate second;
          x.fill(3);
          try (Vectors v = Vectors.of(map, x)) {
            first = v.startHalo(x, gone);
            second = v.startHalo(x, halo);
            try (F64Array other = team.f64(SIZE + 1)) {
              assertThatIllegalArgumentException().isThrownBy(() -> v.startHalo(x, other));
            }
          }
          gone.close();
          x.close();
          second.await();
          assertThat(halo.sum()).isEqualTo(3.0 * halo.shape().count());
          assertThatIllegalStateException()
              .isThrownBy(first::await)
              .withMessageContaining("is closed");
          assertThatIllegalStateException()
              .isThrownBy(second::await)
              .withMessageContaining("was awaited before; start another");
          first.close();
        });
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  void closingATeamCompletesWhatIsUnderWay(int ranks) {
    try (World world = World.local(ranks)) {
      world.run(
          comm -> {
            StartedUpdate update;
            try (Team team = Team.on(comm)) {
              IndexMap map = Pattern.random(ranks, new Random(1)).map(team);
              F64Array x = map.space().f64();
              try (Vectors v = Vectors.of(map, x)) {
                update = v.startHalo(x, map.haloSpace(1).f64());
              }
            }
            assertThatIllegalStateException()
                .isThrownBy(update::await)
                .withMessageContaining("the team is closed");
            update.close();
          });
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void closingATeamFailsByUpdatesThatFailedAndWereNotAwaited(boolean completed) {
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            Team team = Team.on(comm);
            IndexMap map = Pattern.random(2, new Random(1)).map(team);
            F64Array x = map.space().f64();
            try (Vectors v = Vectors.of(map, x)) {
              for (int update = 0; update < 2; update++) {
                F64Array gone = map.haloSpace(1).f64();
                var _ = v.startHalo(x, gone);
                gone.close();
              }
              if (completed) {
                v.startHalo(x, map.haloSpace(1).f64()).await();
              }
            }
            assertThatIllegalStateException()
                .isThrownBy(team::close)
                .withMessageContaining("updates under way did not close")
                .havingCause()
                .withMessageContaining("failed: F64 array 2 of")
                .withMessageContaining("is closed")
                .satisfies(
                    e -> assertThat(e.getSuppressed()[0]).hasMessageContaining("F64 array 3 of"));
            team.close();
          });
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"point-to-point", "shared", "rma-pull", "all-to-all"})
  void anExceptionInBetweenIsToldToAllRanks(String scheme) {
    assertThatThrownBy(
            () ->
                Ranks.run(
                    3,
                    team -> {
                      IndexMap map = Pattern.random(3, new Random(1)).map(team);
                      map.scheme(scheme);
                      try (F64Array x = map.space().f64();
                          F64Array halo = map.haloSpace(1).f64();
                          Vectors v = Vectors.of(map, x)) {
                        StartedUpdate update = v.startHalo(x, halo);
                        if (team.rank() == 1) {
                          throw new ArithmeticException("in between");
                        }
                        update.await();
                        assertThat(v.norm2(x)).isZero();
                      }
                    }))
        .hasStackTraceContaining("in between");
  }
}
