package dev.rialto.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.rialto.runtime.trace.Phase;
import dev.rialto.runtime.trace.RunRecord;
import dev.rialto.runtime.trace.Trace;
import dev.rialto.spi.World.RankScope;
import dev.rialto.spi.error.DeviceException;
import dev.rialto.text.Json;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Times of operations are reported to the program, to JFR and to a trace file. */
@ParameterizedClass(name = "{0}")
@ValueSource(strings = {"cpu", "hidden", "cuda"})
@Tag("gpu")
class ProfilesTest {
  private final ComputeDevice device;
  private final ComputeClient client;
  private final Kernel increment;

  ProfilesTest(String name) {
    device = ComputeDevice.open(Kernels.device(name));
    client = device.client();
    increment = Kernels.increment(client);
  }

  @AfterEach
  void close() {
    device.close();
  }

  @Test
  void aProfileHasCreatesWritesAndReadsAndMarksFailures() {
    Profile profile =
        client
            .profile(
                () -> {
                  try (Buffer x = Kernels.create(client, 1)) {
                    client.write(x, MemorySegment.ofArray(new double[] {2}));
                    assertThat(Kernels.doubles(client, x)).containsExactly(2);
                    client.withMode(LaunchMode.CHECKED).launch(increment, 2, x);
                  }
                })
            .join();
    // A checked launch on a GPU is two entries: the launch, and a look at what it noted.
    assertThat(profile.operations().stream().map(entry -> entry.operation().name()).distinct())
        .containsExactly("create", "write", "read", "increment");
    assertThat(profile.operations().stream().filter(entry -> entry.failure().isPresent()))
        .containsExactly(profile.operations().getLast());
    assertThat(profile.operations())
        .allSatisfy(
            entry -> {
              assertThat(entry.operation().site().orElseThrow().getFileName())
                  .isIn("ProfilesTest.java", "Kernels.java");
              assertThat(entry.began()).isBetween(entry.added(), entry.ended());
            });
    assertThatExceptionOfType(DeviceException.class).isThrownBy(client::sync);
  }

  @Test
  void aProfileHasWhatWasAddedAndDoesNotDrainTheStream() {
    CountDownLatch gate = new CountDownLatch(1);
    try (Buffer x = Kernels.create(client, 1, 2);
        Buffer y = client.empty(16);
        ComputeStream other = client.openStream()) {
      Kernels.hold(client, gate);
      CompletableFuture<Profile> pending =
          client.profile(
              () -> {
                client.launch(increment, 2, x);
                client.withStream(other).copy(x, y);
              });
      client.launch(increment, 2, x);
      assertThat(pending).isNotDone();
      gate.countDown();
      Profile profile = pending.join();
      assertThat(profile.operations())
          .extracting(entry -> entry.operation().name())
          .containsExactlyInAnyOrder("increment", "copy");
      assertThat(profile.operations())
          .allMatch(entry -> entry.added() <= entry.began() && entry.began() <= entry.ended());
      assertThat(profile.span()).isPositive();
      assertThat(profile.busy()).isLessThanOrEqualTo(profile.span().multipliedBy(2));
      client.sync();
    }
  }

  @Test
  void anEmptyProfileHasNoTime() {
    Profile profile = client.profile(() -> {}).join();
    assertThat(profile.operations()).isEmpty();
    assertThat(profile.span()).isZero();
    assertThat(profile.busy()).isZero();
  }

  @Test
  void operationsAndMemoryAreJfrEvents(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("operations.jfr");
    try (Recording recording = new Recording();
        Buffer x = Kernels.create(client, 1)) {
      recording.enable("dev.rialto.Operation");
      recording.enable("dev.rialto.Memory").withThreshold(Duration.ZERO);
      client.sync();
      recording.start();
      client.empty(4 << 20).close();
      client.launch(increment, 1, x);
      client.sync();
      recording.stop();
      recording.dump(file);
    }
    Map<String, List<RecordedEvent>> events =
        RecordingFile.readAllEvents(file).stream()
            .collect(Collectors.groupingBy(event -> event.getEventType().getName()));
    assertThat(events.get("dev.rialto.Memory"))
        .singleElement()
        .satisfies(memory -> assertThat(memory.getLong("size")).isEqualTo(4 << 20))
        .satisfies(memory -> assertThat(memory.getString("pool")).isEqualTo("large"));
    assertThat(events.get("dev.rialto.Operation")).hasSize(1);
    RecordedEvent event = events.get("dev.rialto.Operation").getFirst();
    assertThat(event.getString("operation")).isEqualTo("increment");
    assertThat(event.getString("kind")).isEqualTo("LAUNCH");
    assertThat(event.getString("stream")).isEqualTo(client.stream().name());
    assertThat(event.getDuration("deviceTime").isNegative()).isFalse();
    assertThat(event.getDuration("queueWait").isNegative()).isFalse();
  }

  @Test
  void whatIsAddedToATimelineIsToldUnderItsPurpose() {
    try (ComputeStream stream = client.openStream("transform", 0)) {
      Profile profile =
          client
              .profile(
                  () -> {
                    stream.timeline().run(() -> {});
                    stream.timeline().run(this::failing);
                    assertThatExceptionOfType(DeviceException.class)
                        .isThrownBy(stream::sync)
                        .withMessageContaining("'transform'")
                        .withMessageContaining("no such plan");
                  })
              .join();
      assertThat(profile.operations())
          .extracting(entry -> entry.operation().name())
          .containsExactly("transform", "transform");
    }
  }

  private void failing() {
    throw new IllegalStateException("no such plan");
  }

  private static Stream<Map<?, ?>> events(Path trace, String phase) throws IOException {
    Map<?, ?> document = (Map<?, ?>) Json.read(Files.readString(trace));
    return ((List<?>) document.get("traceEvents"))
        .stream().<Map<?, ?>>map(Map.class::cast).filter(event -> phase.equals(event.get("ph")));
  }

  /** Returns the names of the ranks and tracks, each with its rank's number. */
  private static List<String> tracks(Path trace) throws IOException {
    return events(trace, "M")
        .map(event -> event.get("pid") + " " + ((Map<?, ?>) event.get("args")).get("name"))
        .toList();
  }

  @Test
  void aTraceHasATrackForEachRankDeviceAndStream(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("trace.json");
    try (Buffer x = Kernels.create(client, 1);
        ComputeStream other = client.openStream()) {
      client.sync();
      Trace trace = Trace.start(file, OptionalInt.empty());
      client.launch(increment, 1, x);
      RankScope.call(
          2,
          () -> {
            client.withStream(other).launch(increment, 1, x);
            return 0;
          });
      client.syncDevice();
      trace.close();
      trace.close();
      client.launch(increment, 1, x);
      client.sync();
      assertThat(events(file, "X"))
          .hasSize(2)
          .allSatisfy(
              event -> {
                assertThat(event.get("name")).isEqualTo("increment");
                assertThat(event.get("args")).asString().contains("ProfilesTest.java");
                assertThat(((Number) event.get("ts")).doubleValue()).isPositive();
                assertThat(((Number) event.get("dur")).doubleValue()).isNotNegative();
              });
      assertThat(tracks(file))
          .containsExactlyInAnyOrder(
              "0 rank 0", "0 " + client.stream().name(), "2 rank 2", "2 " + other.name());
    }
  }

  @Test
  void aTraceSaysWhatTheRunWasAbout(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("trace.json");
    byte[] picture = {1, 2, 3};
    RunRecord.result("before", "not recorded");
    assertThat(RunRecord.isOn()).isFalse();
    try (Trace _ = Trace.start(file, OptionalInt.empty())) {
      assertThat(RunRecord.isOn()).isTrue();
      RunRecord.environment("Command", "rialto \"demo\" <x>");
      RunRecord.result("Error", "1e-9");
      RunRecord.picture("the field", picture);
      RunRecord.limits("2 cores", 2e10, 0);
      RunRecord.measured("product", 2e6, 1e7, 1e-3);
      RankScope.call(
          3,
          () -> {
            try (Phase _ = RunRecord.phase("solve")) {
              RunRecord.curve("cg", new double[] {1, 0.5, Double.NaN}, 1e-6);
            }
            return 0;
          });
    }
    assertThat(events(file, "M").filter(event -> event.get("name").equals("rialto")))
        .<Object>extracting(event -> event.get("args"))
        .containsExactlyInAnyOrder(
            Map.of("section", "environment", "name", "Command", "value", "rialto \"demo\" <x>"),
            Map.of("section", "result", "name", "Error", "value", "1e-9"),
            Map.of("section", "picture", "name", "the field", "png", "AQID"),
            Json.read(
                """
                {"section": "limits", "name": "2 cores", "bytesPerSecond": 2e10,
                 "operationsPerSecond": 0.0}\
                """),
            Json.read(
                """
                {"section": "measured", "name": "product", "operations": 2e6, "bytes": 1e7,
                 "seconds": 1e-3}\
                """),
            Json.read(
                """
                {"section": "curve", "name": "cg", "values": [1.0, 0.5, null],
                 "tolerance": 1e-6}\
                """));
    assertThat(events(file, "X"))
        .singleElement()
        .satisfies(phase -> assertThat(phase.get("name")).isEqualTo("solve"))
        .satisfies(phase -> assertThat(phase.get("cat")).isEqualTo("Phase"))
        .satisfies(phase -> assertThat(phase.get("pid")).isEqualTo(3L));
  }

  @Test
  void aTraceHasTheMemoryOfSpacesOverTime(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("trace.json");
    try (Trace _ = Trace.start(file, OptionalInt.empty())) {
      Buffer first = client.empty(4 << 20);
      client.empty(6 << 20).close();
      first.close();
      client.cleanup();
    }
    Map<Object, List<Object>> held =
        events(file, "C")
            .collect(
                Collectors.groupingBy(
                    event -> event.get("name"),
                    Collectors.mapping(
                        event -> ((Map<?, ?>) event.get("args")).get("bytes"),
                        Collectors.toList())));
    assertThat(held.get(device.spi().memory().name()))
        .startsWith((long) (4 << 20), (long) (10 << 20))
        .endsWith(0L);
  }

  @Test
  void ranksThatAreProcessesAddTheirPartsToOneFile(@TempDir Path folder) throws IOException {
    Path file = Files.writeString(folder.resolve("trace.json"), "of an earlier run");
    try (Buffer x = Kernels.create(client, 1)) {
      client.sync();
      Trace first = Trace.start(file, OptionalInt.of(0));
      Trace second = Trace.start(file, OptionalInt.of(1));
      client.launch(increment, 1, x);
      client.sync();
      String stream = client.stream().name();
      second.close();
      assertThat(tracks(file)).containsExactly("1 rank 1", "1 " + stream);
      first.close();
      assertThat(tracks(file))
          .containsExactly("1 rank 1", "1 " + stream, "0 rank 0", "0 " + stream);
      assertThat(events(file, "X")).extracting(event -> event.get("ts")).hasSize(2);
    }
  }

  @Test
  void aTraceThatCannotBeWrittenIsRefusedAtItsStart(@TempDir Path folder) {
    assertThatExceptionOfType(UncheckedIOException.class)
        .isThrownBy(() -> Trace.start(folder.resolve("no/such/folder"), OptionalInt.empty()));
  }
}
