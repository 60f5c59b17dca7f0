package dev.rialto.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.rialto.text.Json;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CancellationException;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** Suites that are asked to stop: what was measured by then is reported, and marked. */
class InterruptedSuiteTest {
  /** Asks to stop once a suite has come to a step. */
  private static final class StopAt implements Suite.Progress {
    private final int last;
    private int done;

    StopAt(int last) {
      this.last = last;
    }

    @Override
    public void step(int now, int total, String what) {
      done = now;
    }

    @Override
    public boolean stop() {
      return done >= last;
    }
  }

  @Test
  void finishedRoundsAreReported() {
    BenchReport report = new RuntimeSuite().run(true, new StopAt(3));
    assertThat(report.interrupted()).isTrue();
    assertThat(report.rows())
        .extracting(BenchRow::name)
        .contains("launch/complete", "copy/read")
        .noneMatch(name -> name.startsWith("pool/reserved by used"));
    assertThat(report.toText()).contains("Interrupted");
    assertThat(Json.read(report.toJson()))
        .asInstanceOf(InstanceOfAssertFactories.MAP)
        .containsEntry("interrupted", true);
  }

  @Test
  void aPeerThatRunsIsEnded() {
    Path sleep = Path.of("/bin/sleep");
    assumeTrue(Files.isExecutable(sleep));
    Peer peer = Peer.program("sleep", sleep, "60");
    assertThatThrownBy(() -> peer.times(new StopAt(0))).isInstanceOf(CancellationException.class);
    assertThat(ProcessHandle.current().descendants().map(ProcessHandle::info))
        .noneMatch(info -> info.command().filter(sleep.toString()::equals).isPresent());
  }

  @Test
  void anotherFailureComesOut() {
    Suite.Progress goesOn = new StopAt(1);
    assertThatThrownBy(
            () ->
                goesOn.measure(
                    () -> {
                      throw new IllegalStateException("mine");
                    }))
        .hasMessage("mine");
  }
}
