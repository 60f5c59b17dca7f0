package dev.rialto.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rialto.cli.option.ExitCode;
import dev.rialto.text.Json;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KernelCommandTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final Properties before = new Properties();

  /** One for all tests, so that the machine's limits are measured once. */
  @TempDir private static Path cache;

  @TempDir private Path folder;
  private String program = "";

  @BeforeEach
  void cachesAndProgram() throws IOException {
    before.putAll(System.getProperties());
    System.setProperty("rialto.jit.cache", "off");
    System.setProperty("rialto.cache", cache.toString());
    program = file("twice.rialto", "input x f32[4]\ny[i] = 2 * x[i]\n");
  }

  @AfterEach
  void restore() {
    System.setProperties(before);
  }

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private int run(String... args) {
    out.getBuffer().setLength(0);
    return Main.run(new PrintWriter(out), new PrintWriter(err), false, args);
  }

  @Test
  void explainShowsEveryStageAndTheRoofline() {
    assertThat(run("kernel", "explain", program)).as(err.toString()).isZero();
    assertThat(out.toString()).contains("--- loops ---").contains("operationsPerByte");
    assertThat(out.toString()).containsPattern("boundBy +memory");
  }

  @Test
  void runGivesResults() {
    assertThat(run("kernel", "run", program)).as(err.toString()).isZero();
    assertThat(out.toString()).contains("y.sum");
  }

  @Test
  void benchSaysWhatWasAttained() {
    assertThat(run("kernel", "bench", program, "--backend=sync_jvm", "--json"))
        .as(err.toString())
        .isZero();
    assertThat(Json.read(out.toString()))
        .asInstanceOf(InstanceOfAssertFactories.map(String.class, Object.class))
        .containsEntry("limitThreads", 1L)
        .containsEntry("operations", 4L)
        .containsEntry("bytes", 32L)
        .containsKeys("milliseconds", "gigabytesPerSecond", "gigaOperationsPerSecond", "attained");
  }

  @Test
  void benchSearchesSchedulesAndWritesThem() throws IOException {
    Path schedules = folder.resolve("twice.schedule");
    assertThat(run("kernel", "bench", program, "--search", "--json", "--schedule-out=" + schedules))
        .as(err.toString())
        .isZero();
    Map<?, ?> search = (Map<?, ?>) ((Map<?, ?>) Json.read(out.toString())).get("search");
    assertThat(search.keySet().stream().map(Object::toString))
        .contains("automaticMilliseconds", "milliseconds", "schedules", "candidates");
    assertThat(schedules).content().startsWith("# twice on jvm\n");
    assertThat(run("kernel", "bench", program, "--schedule=" + schedules)).isZero();
  }

  @Test
  void givenSchedulesAreUsed() throws IOException {
    String schedules = file("twice.schedule", "# by hand\ny: vector i 2\n");
    assertThat(run("kernel", "explain", program, "--schedule", schedules)).isZero();
    assertThat(out.toString()).contains("    vector i 2\n");
  }

  @Test
  void schedulesThatDoNotFitAreWrongUsage() throws IOException {
    String other = file("other", "z: vector i 2\n");
    assertThat(run("kernel", "run", program, "--schedule", other)).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(err.toString()).contains("a schedule for z");
    String refused = file("refused", "y: vector j 2\n");
    assertThat(run("kernel", "run", program, "--schedule", refused))
        .isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(err.toString()).contains("names axis j");
    String wrong = file("wrong", "y: fly i\n");
    assertThat(run("kernel", "run", program, "--schedule", wrong)).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(err.toString()).contains("line 1");
    assertThat(run("kernel", "run", program, "--search")).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(err.toString()).contains("--search");
  }
}
