package dev.rialto.jit.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.rialto.jit.Program;
import dev.rialto.jit.lower.Schedule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ScheduleSearchTest {
  private static final Settings SETTINGS = Settings.fromProperties().withCache(Optional.empty());

  private static Program product() {
    return Program.parse(
        "p",
        """
        input a f32[8, 8]
        input b f32[8, 8]
        twice[i, j] = 2 * a[i, j]
        output c[i, j] += twice[i, k] * b[k, j]
        """);
  }

  @Test
  void everyCandidateIsTimedAndTheAnswerCanBeUsed() {
    Program program = product();
    ScheduleSearch.Found found;
    try (JitBackend backend = JitBackend.open("sync_interpreter", SETTINGS)) {
      found = ScheduleSearch.search(backend, program, ScheduleSearch.Effort.MEASURE);
    }
    List<ScheduleSearch.Timed> timed = found.timed();
    assertThat(timed)
        .hasSizeGreaterThan(4)
        .extracting(ScheduleSearch.Timed::node)
        .containsOnly("c");
    assertThat(timed.toString()).contains("reorder i k j");
    assertThat(timed).extracting(ScheduleSearch.Timed::millis).isSorted();
    assertThat(found.millis()).isPositive().isLessThanOrEqualTo(found.automaticMillis());
    for (Schedule each : List.of(timed.getFirst().schedule(), timed.getLast().schedule())) {
      Map<String, Schedule> read = Schedule.parseAll("# c\n" + Schedule.print(Map.of("c", each)));
      assertThat(read).isEqualTo(Map.of("c", each));
      try (JitBackend backend = JitBackend.open("sync_jvm", SETTINGS.withSchedules(read))) {
        double[] ones = new double[64];
        Arrays.fill(ones, 1);
        assertThat(
                Machines.run(
                    backend,
                    program,
                    Map.of(program.node("a"), ones, program.node("b"), ones),
                    program.node("c")))
            .containsOnly(16);
      }
    }
  }

  @Test
  void anEstimateTimesNothing() {
    try (JitBackend backend = JitBackend.open("sync_jvm", SETTINGS)) {
      assertThat(ScheduleSearch.search(backend, product(), ScheduleSearch.Effort.ESTIMATE))
          .isEqualTo(new ScheduleSearch.Found(Map.of(), List.of(), 0, 0));
    }
  }

  @Test
  void aSearchIsAnEventForTheFlightRecorder(@TempDir Path folder) throws IOException {
    Program copy = Program.parse("copy", "input a f64[64]\noutput b[i] = a[i]\n");
    Path file = folder.resolve("search.jfr");
    try (Recording recording = new Recording();
        JitBackend backend = JitBackend.open("sync_jvm", SETTINGS)) {
      recording.enable("dev.rialto.ScheduleSearch");
      recording.disable("dev.rialto.Operation");
      recording.disable("dev.rialto.Memory");
      recording.start();
      ScheduleSearch.search(backend, copy, ScheduleSearch.Effort.MEASURE);
      recording.stop();
      recording.dump(file);
    }
    assertThat(RecordingFile.readAllEvents(file)).hasSize(1);
    RecordedEvent event = RecordingFile.readAllEvents(file).getFirst();
    assertThat(event.getString("program")).isEqualTo("copy");
    assertThat(event.getString("node")).isEqualTo("b");
    assertThat(event.getInt("candidates")).isGreaterThan(1);
  }

  @Test
  void linesThatAreNoSchedulesAreToldByNumber() {
    for (String text : List.of("c parallel i", "c: fly i", "c: parallel i\nc: vector i 8")) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> Schedule.parseAll("# a remark\n\n" + text))
          .withMessageContaining("line ");
    }
  }
}
