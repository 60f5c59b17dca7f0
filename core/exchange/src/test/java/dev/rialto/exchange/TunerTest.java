package dev.rialto.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.exchange.kernel.HostKernels;
import dev.rialto.exchange.plan.Grid;
import dev.rialto.exchange.plan.Halo;
import dev.rialto.exchange.plan.Transpose.MemoryOrder;
import dev.rialto.exchange.tune.Effort;
import dev.rialto.exchange.tune.Tuned;
import dev.rialto.exchange.tune.Tuner;
import dev.rialto.spi.World;
import dev.rialto.spi.data.DType;
import dev.rialto.spi.data.Shape;
import dev.rialto.system.files.TuningCache;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The tuner: one answer on all ranks, everything that applies timed, answers remembered. */
class TunerTest {
  @ParameterizedTest
  @EnumSource(Effort.class)
  void allRanksGetOneAnswerThatCanBeUsed(Effort effort) {
    int ranks = effort == Effort.EXHAUSTIVE || effort == Effort.PATIENT ? 2 : 4;
    try (World world = World.local(ranks)) {
      List<Tuned> answers =
          world.call(
              comm -> {
                try (Exchanger exchanger = Exchanger.on(comm)) {
                  return new Tuner(exchanger)
                      .effort(effort)
                      .turns(1)
                      .transpose(Shape.of(5, 8, 6), DType.C128);
                }
              });
      Tuned first = answers.getFirst();
      assertThat(answers)
          .allSatisfy(
              answer -> {
                assertThat(answer.way()).isEqualTo(first.way());
                assertThat(answer.candidates()).isEqualTo(first.candidates());
              });
      assertThat(first.way().gridParts()[0] * first.way().gridParts()[1]).isEqualTo(ranks);
      if (effort != Effort.EXHAUSTIVE) {
        assertThat(first.way().schemes()).hasSize(1);
      }
      assertThat(first.candidates())
          .extracting(candidate -> candidate.way().grid())
          .contains(ranks == 4 ? new String[] {"1x4", "2x2", "4x1"} : new String[] {"1x2", "2x1"});
      assertThat(first.candidates())
          .extracting(candidate -> candidate.way().memory())
          .contains(MemoryOrder.values());
      if (effort != Effort.ESTIMATE) {
        assertThat(first.candidates())
            .extracting(candidate -> candidate.way().schemeText())
            .contains("point-to-point", "all-to-all", "rma-pull", "datatype");
        assertThat(first.candidates())
            .extracting(candidate -> candidate.way().tile())
            .containsAll(HostKernels.serial().tiles());
        assertThat(first.candidates()).allMatch(candidate -> candidate.seconds() > 0);
      }
    }
  }

  @Test
  void anAnswerIsRememberedForWhatItDependsOn(@TempDir Path folder) {
    Tuned first = halo(folder, 2, "here");
    assertThat(first.remembered()).isFalse();
    Tuned again = halo(folder, 2, "here");
    assertThat(again.remembered()).isTrue();
    assertThat(again.way()).isEqualTo(first.way());
    assertThat(halo(folder, 3, "here").remembered()).isFalse();
    assertThat(halo(folder, 2, "there").remembered()).isFalse();
  }

  @Test
  void codecsAreTriedWhereTheyAreNamed() {
    try (World world = World.local(2)) {
      List<Tuned> answers =
          world.call(
              comm -> {
                try (Exchanger exchanger = Exchanger.on(comm)) {
                  return new Tuner(exchanger)
                      .turns(1)
                      .codecs(List.of("lz4", "cast:1e-6"))
                      .transpose(Shape.of(8, 6, 4), DType.C128);
                }
              });
      assertThat(answers.getFirst().candidates())
          .extracting(candidate -> candidate.way().schemeText())
          .contains("point-to-point", "point-to-point/bulk/lz4", "rma-pull/bulk/cast:1e-6")
          .noneMatch(scheme -> scheme.contains("zstd"))
          .noneMatch(scheme -> scheme.startsWith("datatype/") && scheme.contains("lz4"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"\\u00zz", "halo=nothing", ""})
  void aCacheThatMakesNoSenseIsReplaced(String garbage, @TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("tuning.properties"), garbage);
    assertThat(halo(folder, 2, "here").remembered()).isFalse();
    assertThat(halo(folder, 2, "here").remembered()).isTrue();
    Path file = folder.resolve("tuning.properties");
    Files.writeString(
        file, Files.readString(file).replaceAll("=.*", "=2x2 SOMEHOW CYCLIC 1x1 by-pigeon"));
    assertThat(halo(folder, 2, "here").remembered()).isFalse();
  }

  @Test
  void aCacheThatCannotBeWrittenCostsNoAnswer(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("file"), "");
    assertThat(halo(file.resolve("below"), 2, "here").way().schemes()).hasSize(1);
  }

  @Test
  void tuningIsAJfrEventOfEachRank(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("tuning.jfr");
    Tuned found;
    try (Recording recording = new Recording()) {
      recording.start();
      found = halo(folder, 2, "here");
      recording.stop();
      recording.dump(file);
    }
    assertThat(
            RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().equals("dev.rialto.Tuning")))
        .hasSize(2)
        .allSatisfy(
            event -> {
              assertThat(event.getString("winner")).startsWith(found.way().schemeText());
              assertThat(event.getInt("candidates")).isEqualTo(found.candidates().size());
              assertThat(event.getBoolean("remembered")).isFalse();
              assertThat(event.getDuration()).isPositive();
            })
        .extracting(event -> event.getInt("rank"))
        .containsExactlyInAnyOrder(0, 1);
  }

  private static Tuned halo(Path folder, int ranks, String machine) {
    Grid grid = Grid.block(Shape.of(12), ranks);
    Halo.Stencil stencil = Halo.Stencil.of(1, 1, true, true);
    try (World world = World.local(ranks)) {
      return world
          .call(
              comm -> {
                try (Arena arena = Arena.ofConfined();
                    Exchanger exchanger = Exchanger.on(comm)) {
                  var plan = Halo.stencil(grid, stencil, comm.rank());
                  MemorySegment array = arena.allocate(8 * plan.inputCount(), 8);
                  return new Tuner(exchanger)
                      .turns(1)
                      .limit(Duration.ofMillis(500))
                      .remember(TuningCache.in(folder), machine)
                      .plan(plan, DType.F64, array, array);
                }
              })
          .getFirst();
    }
  }
}
