package dev.rialto.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.rialto.runtime.trace.Trace;
import dev.rialto.spi.Backends;
import dev.rialto.text.Json;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Collectors;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What operations took is told to the program, to JFR and to a trace file. */
class ProfilesTest {
  private final ComputeDevice device = ComputeDevice.open(Backends.get("cpu").devices().getFirst());
  private final ComputeClient client = device.client();
  private final Kernel increment = client.compile(Kernels.increment());

  @AfterEach
  void close() {
    device.close();
  }

  @Test
  void aProfileHasWhatWasAddedAndDoesNotDrainTheStream() {
    CountDownLatch gate = new CountDownLatch(1);
    try (Buffer x = Kernels.create(client, 1, 2);
        ComputeStream other = client.openStream()) {
      client.launch(client.compile(Kernels.gate(gate)), 1);
      CompletableFuture<Profile> pending =
          client.profile(
              () -> {
                client.launch(increment, 2, x);
                client.withStream(other).fill(x, MemorySegment.ofArray(new double[] {1}));
              });
      client.launch(increment, 2, x);
      assertThat(pending).isNotDone();
      gate.countDown();
      Profile profile = pending.join();
      assertThat(profile.operations())
          .extracting(entry -> entry.operation().name())
          .containsExactlyInAnyOrder("increment", "fill");
      assertThat(profile.operations())
          .allMatch(entry -> entry.added() <= entry.began() && entry.began() <= entry.ended());
      assertThat(profile.span()).isPositive();
      assertThat(profile.busy()).isPositive();
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
      recording.start();
      client.empty(3 << 20).close();
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
        .satisfies(memory -> assertThat(memory.getLong("size")).isEqualTo(3 << 20))
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
  void aTraceHasATrackForEachStream(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("trace.json");
    try (Buffer x = Kernels.create(client, 1);
        ComputeStream other = client.openStream()) {
      try (Trace trace = Trace.start(file, 3)) {
        assertThatIllegalStateException().isThrownBy(() -> Trace.start(file, 0));
        assertThat(Trace.active()).isSameAs(trace);
        client.launch(increment, 1, x);
        client.withStream(other).launch(increment, 1, x);
        client.syncDevice();
      }
      client.launch(increment, 1, x);
      client.sync();
      Map<?, ?> document = (Map<?, ?>) Json.read(Files.readString(file));
      List<?> events = (List<?>) document.get("traceEvents");
      assertThat(events.stream().map(Map.class::cast).filter(e -> "X".equals(e.get("ph"))))
          .hasSize(2)
          .allSatisfy(
              event -> {
                assertThat(event.get("name")).asString().contains("increment");
                assertThat(((Number) event.get("pid")).intValue()).isEqualTo(3);
                assertThat(((Number) event.get("dur")).doubleValue()).isPositive();
              });
      assertThat(events.stream().map(Map.class::cast).filter(e -> "M".equals(e.get("ph"))))
          .extracting(event -> ((Map<?, ?>) event.get("args")).get("name"))
          .hasToString("[rank 3, " + client.stream().name() + ", " + other.name() + "]");
    }
  }
}
