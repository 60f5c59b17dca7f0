package dev.rialto.jit.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.jit.Program;
import dev.rialto.jit.lower.Schedule;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ScheduleSearchTest {
  @Test
  void everyCandidateIsTimedAndTheFastestCanBeUsed() {
    Program program =
        Program.parse("p", "input a f32[8, 8]\ninput b f32[8, 8]\nc[i, j] += a[i, k] * b[k, j]");
    Settings settings = Settings.fromProperties().withCache(Optional.empty());
    List<ScheduleSearch.Timed> found =
        ScheduleSearch.search("sync_jvm", settings, program, program.node("c"), 1);
    assertThat(found).hasSizeGreaterThan(4);
    assertThat(found.toString()).contains("reorder i k j").doesNotContain("reorder k");
    assertThat(found).extracting(ScheduleSearch.Timed::millis).isSorted();
    Schedule best = Schedule.parse(found.getFirst().schedule().toString());
    double[] ones = new double[64];
    java.util.Arrays.fill(ones, 1);
    try (JitBackend backend =
        JitBackend.open("sync_jvm", settings.withSchedules(Map.of("c", best)))) {
      assertThat(
              Machines.run(
                  backend,
                  program,
                  Map.of(program.node("a"), ones, program.node("b"), ones),
                  program.node("c")))
          .containsOnly(8);
    }
  }
}
