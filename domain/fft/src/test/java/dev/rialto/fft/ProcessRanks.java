package dev.rialto.fft;

import dev.rialto.array.ComplexArray;
import dev.rialto.array.Team;
import dev.rialto.spi.Backends;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import java.util.List;
import java.util.stream.IntStream;

/** The program of {@link ProcessRanksTest}: its first 1, 2, … processes check plans. */
final class ProcessRanks {
  private ProcessRanks() {}

  public static void main(String[] args) {
    try (World world = Backends.get("mpi").openWorld(0)) {
      world.run(
          all -> {
            for (int ranks = 1; ranks <= all.size(); ranks++) {
              int count = ranks;
              all.subgroup(IntStream.range(0, ranks).toArray())
                  .ifPresent(
                      comm -> {
                        try (comm) {
                          List<PlanCase> cases = PlanCase.random(20261116, 5, count);
                          cases.forEach(each -> each.check(comm));
                          PlanCase.line(60).check(comm);
                          PlanCase.realLine(60).check(comm);
                          PlanCase.cube(6, 6, 6).check(comm);
                        }
                      });
            }
            try (Team team = Team.on(all);
                ComplexArray x = team.space(4, 6, 4).over(1, 1, all.size()).c128();
                FourierPlan plan = FourierPlan.complex(x).axes(2).transposedOutput().build();
                ComplexArray y = (ComplexArray) plan.newOutput(team)) {
              TeamPlansTest.check(plan, x, y, false);
              if (all.rank() == 0) {
                System.out.println("arrays " + plan.explain());
              }
            }
            try (FourierPlan plan = FourierPlan.complex(DType.F64, 8, 8, 8).on(all).build()) {
              if (all.rank() == 0) {
                System.out.println(plan.explain());
              }
            }
          });
    }
  }
}
