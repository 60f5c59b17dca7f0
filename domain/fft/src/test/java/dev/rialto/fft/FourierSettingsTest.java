package dev.rialto.fft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rialto.exchange.tune.Effort;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tuned plans, and plans from files of settings. */
class FourierSettingsTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @EnumSource(Effort.class)
  void everyEffortFindsSettingsThatAllRanksAgreeOn(Effort effort) {
    int ranks = effort == Effort.EXHAUSTIVE || effort == Effort.PATIENT ? 2 : 4;
    try (World world = World.local(ranks)) {
      List<FourierSettings> chosen =
          world.call(
              comm -> {
                FourierPlanBuilder builder = FourierPlan.complex(DType.F64, 8, 4, 6).on(comm);
                List<FourierSettings> all = builder.tune(effort, Duration.ofSeconds(60));
                assertThat(all)
                    .extracting(FourierSettings::gridText)
                    .contains(
                        ranks == 4
                            ? new String[] {"4x1x1", "2x2x1", "1x4x1"}
                            : new String[] {"2x1x1", "1x2x1"});
                assertThat(all)
                    .allMatch(each -> (each.seconds() > 0) == (effort != Effort.ESTIMATE));
                if (effort != Effort.ESTIMATE) {
                  assertThat(all)
                      .extracting(FourierSettings::schemeText)
                      .contains("fused", "shared", "all-to-all");
                }
                try (FourierPlan plan = builder.settings(all.getFirst()).build()) {
                  return plan.settings();
                }
              });
      assertThat(chosen).allMatch(chosen.getFirst()::equals);
    }
  }

  @Test
  void aFileOfSettingsMakesTheSamePlan() {
    Path file = folder.resolve("fft.settings");
    try (World world = World.local(2)) {
      world.run(
          comm -> {
            try (FourierPlan plan =
                FourierPlan.complex(DType.F64, 6, 5, 4).on(comm).tuned(Effort.MEASURE).build()) {
              if (comm.rank() == 0) {
                plan.settings().save(file);
              }
              comm.barrier();
              try (FourierPlan again =
                  FourierPlan.complex(DType.F64, 6, 5, 4)
                      .on(comm)
                      .settings(FourierSettings.load(file))
                      .build()) {
                assertThat(again.settings()).isEqualTo(plan.settings());
                assertThat(again.explain()).isEqualTo(plan.explain()).contains("measured");
              }
            }
          });
    }
  }

  @Test
  void aFileOfSomethingElseIsRefused() throws IOException {
    Path file = Files.writeString(folder.resolve("other"), "grid=2x1\n");
    assertThatThrownBy(() -> FourierSettings.load(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("slabs");
  }
}
