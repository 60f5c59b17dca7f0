package dev.rialto.array;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.exchange.Scheme;
import dev.rialto.exchange.transport.Transport;
import dev.rialto.exchange.transport.Transports;
import dev.rialto.exchange.tune.Effort;
import dev.rialto.exchange.tune.Tuned;
import dev.rialto.spi.World;
import dev.rialto.spi.error.MismatchException;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** Halos of arrays travel by any scheme, and by the fastest. */
class HaloSchemesTest {
  private static final int ROWS = 6;
  private static final int COLUMNS = 5;

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

  private static F64Array field(Team team) {
    return team.space(ROWS, COLUMNS).halo(1).periodic().f64();
  }

  private static void check(F64Array a) {
    a.set((i, j) -> 10.0 * i + j);
    a.updateHalo();
    int ranks = a.team().communicator().size();
    long rows = ROWS / ranks;
    long first = a.team().communicator().rank() * rows;
    for (long i = first - 1; i <= first + rows; i++) {
      for (long j = -1; j <= COLUMNS; j++) {
        assertThat(a.get(i, j))
            .isEqualTo(10.0 * Math.floorMod(i, (long) ROWS) + Math.floorMod(j, (long) COLUMNS));
      }
    }
  }

  @Test
  void everyTransportFillsAHalo() {
    onTeams(
        3,
        team -> {
          try (F64Array a = field(team)) {
            assertThat(a.haloScheme()).isEmpty();
            for (Transport transport : Transports.all()) {
              a.haloScheme(transport.name());
              assertThat(a.haloScheme()).contains(Scheme.parse(transport.name()));
              check(a);
            }
          }
        });
  }

  @Test
  void theFastestSchemeIsKeptAndGoesToArraysMadeLikeIt() {
    onTeams(
        2,
        team -> {
          try (F64Array a = field(team)) {
            assertThat(team.tuner()).isSameAs(team.tuner());
            team.tuner().turns(1).limit(Duration.ofMillis(300));
            Tuned guess = a.tuneHalo(Effort.ESTIMATE);
            assertThat(a.haloScheme()).contains(guess.scheme(0));
            Tuned timed = a.tuneHalo(Effort.MEASURE);
            assertThat(a.haloScheme()).contains(timed.scheme(0));
            check(a);
            try (F64Array b = a.like()) {
              assertThat(b.haloScheme()).isEqualTo(a.haloScheme());
              check(b);
            }
          }
        });
  }

  @Test
  void whatCannotBeChosenIsRefused() {
    onTeams(
        2,
        team -> {
          try (F64Array a = field(team)) {
            assertThatIllegalArgumentException()
                .isThrownBy(() -> a.haloScheme("pigeon"))
                .withMessageContaining("pigeon");
            a.startHalo();
            assertThatThrownBy(() -> a.haloScheme("all-to-all"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("under way");
            a.awaitHalo();
          }
          try (F64Array none = team.f64(4)) {
            assertThatThrownBy(() -> none.haloScheme("all-to-all"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("no halo");
          }
        });
  }

  @Test
  void ranksThatChooseDifferentSchemesAreTold() {
    onTeams(
        2,
        team -> {
          F64Array a = field(team);
          String mine = team.communicator().rank() == 0 ? "shared" : "all-to-all";
          assertThatThrownBy(() -> a.haloScheme(mine)).isInstanceOf(MismatchException.class);
          a.close();
        });
  }
}
