package dev.rialto.dist.guide;

import dev.rialto.array.F64Array;
import dev.rialto.array.IndexSpace;
import dev.rialto.array.Team;
import dev.rialto.spi.comm.Communicator;

/** The listings of {@code docs/halo-stencils.md}. */
final class HaloStencil {
  private HaloStencil() {}

  /** Averages neighbours two times, starting from a single 1; returns the largest element. */
  static double twoSteps(Communicator comm, int edge) {
    try (Team team = Team.on(comm)) {
      IndexSpace square = team.space(edge, edge).halo(1).periodic().star();
      try (F64Array now = square.f64();
          F64Array next = square.f64()) {
        now.set((i, j) -> i == 0 && j == 0 ? 1 : 0);
        step(now, next);
        step(next, now);
        return now.max();
      }
    }
  }

  private static void step(F64Array u, F64Array to) {
    to.set(
        (i, j) -> (u.get(i - 1, j) + u.get(i + 1, j) + u.get(i, j - 1) + u.get(i, j + 1)) / 4, u);
  }
}
