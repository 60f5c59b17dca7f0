package dev.rialto.array;

import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.exchange.DirectReads;
import dev.rialto.runtime.Devices;
import dev.rialto.runtime.memory.MemoryReport;
import dev.rialto.spi.Backends;
import dev.rialto.spi.World;
import dev.rialto.system.AddressSpace;
import dev.rialto.system.JavaCommand;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The program of each process of {@link SharedArraysTest}. {@code launch MODE} starts three with
 * the MPI library that {@code RIALTO_MPI} names.
 */
final class SharedArraysProgram {
  /** Rows of 24,000 bytes: long enough to be read where they are, not packed. */
  private static final int COLUMNS = 3_000;

  private static final int ROWS = 12;

  private SharedArraysProgram() {}

  public static void main(String[] args) throws Exception {
    if (args[0].equals("launch")) {
      List<String> ranks = JavaCommand.like(SharedArraysProgram.class, List.of("run", args[1]));
      Process job = Backends.get("mpi").launcher().orElseThrow().launch(3, ranks, Map.of());
      System.exit(job.waitFor());
    }
    try (World world = World.open("--comm", "mpi")) {
      world.run(
          comm -> {
            try (Team team = Team.on(comm)) {
              if (args[1].equals("check")) {
                readsAndWrites(team, true);
                team.f64(1).fill(0);
                assertThat(adopted()).isLessThan(80);
                for (int round = 0; round < 3; round++) {
                  halo(team);
                  redistribution(team, round);
                }
              } else {
                failing(team, args[1].equals("halt"));
              }
            }
          });
    }
  }

  private static double value(long i, long j) {
    return 1 + i * 10_000.0 + j;
  }

  /** Other ranks read the memory of an array by its address, and by fetch and put. */
  static void readsAndWrites(Team team, boolean oneNode) {
    int ranks = team.communicator().size();
    try (F64Array a = team.f64(ranks * 10L)) {
      assertThat(adopted()).isGreaterThanOrEqualTo(80);
      a.set(i -> 1.0 + i);
      Optional<DirectReads> direct = team.exchanger().directReads();
      assertThat(direct.isPresent()).isEqualTo(oneNode);
      direct.ifPresent(reads -> readDirectly(reads, a, ranks));
      long next = (team.communicator().rank() + 1L) % ranks * 10;
      assertThat(a.fetch(next)).isEqualTo(1.0 + next);
      a.synchronize();
      a.put(-7, next);
      a.synchronize();
      assertThat(a.get(team.communicator().rank() * 10L)).isEqualTo(-7);
    }
  }

  /** Returns the bytes of windows that the runtime counts. */
  private static long adopted() {
    return Devices.host().memoryReport().pools().stream()
        .filter(row -> row.pool().equals("adopted"))
        .mapToLong(MemoryReport.Row::used)
        .sum();
  }

  private static void readDirectly(DirectReads reads, F64Array a, int ranks) {
    assertThat(reads.oneProcess()).isFalse();
    reads.await(a.local());
    for (int rank = 0; rank < ranks; rank++) {
      assertThat(AddressSpace.MEMORY.get(JAVA_DOUBLE, reads.address(rank)))
          .isEqualTo(1.0 + 10 * rank);
    }
    reads.finish();
  }

  static void halo(Team team) {
    try (F64Array a = team.space(ROWS, COLUMNS).halo(1).periodic().f64()) {
      a.set(SharedArraysProgram::value);
      a.updateHalo();
      int rank = team.communicator().rank();
      long rows = ROWS / team.communicator().size();
      for (long i = rank * rows - 1; i <= (rank + 1) * rows; i++) {
        for (long j = -1; j <= COLUMNS; j++) {
          assertThat(a.get(i, j))
              .isEqualTo(value(Math.floorMod(i, (long) ROWS), Math.floorMod(j, (long) COLUMNS)));
        }
      }
    }
  }

  static void redistribution(Team team, int round) {
    int ranks = team.communicator().size();
    IndexSpace rows = team.space(ROWS, COLUMNS);
    try (F64Array a = (round == 0 ? rows : rows.halo(round)).f64();
        F64Array b = rows.over(1, ranks).halo(1).f64()) {
      a.set(SharedArraysProgram::value);
      b.copy(a);
      long columns = COLUMNS / ranks;
      long first = team.communicator().rank() * columns;
      for (long i = 0; i < ROWS; i++) {
        for (long j = first; j < first + columns; j++) {
          assertThat(b.get(i, j)).isEqualTo(value(i, j));
        }
      }
    }
  }

  /** Rank 1 leaves while the others read its array, again and again. */
  private static void failing(Team team, boolean halt) {
    try (F64Array a = team.space(ROWS, COLUMNS).halo(1).periodic().f64()) {
      for (int run = 0; true; run++) {
        a.startHalo();
        if (run == 20 && team.communicator().rank() == 1) {
          if (halt) {
            Runtime.getRuntime().halt(3);
          }
          throw new IllegalStateException("rank 1 stops here");
        }
        a.awaitHalo();
      }
    }
  }
}
