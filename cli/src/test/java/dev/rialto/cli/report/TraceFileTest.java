package dev.rialto.cli.report;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A file that is no trace is refused with a sentence about it. */
class TraceFileTest {
  @TempDir private Path folder;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|is empty",
        "'  '|is empty",
        "hello|is no trace, or not all of one: line 1",
        "{\"traceEvents\":[{\"name\":\"x\"|is no trace, or not all of one: line 1",
        "[]|has no list 'traceEvents'",
        "{\"name\":\"package\"}|has no list 'traceEvents'",
        "{\"traceEvents\":7}|has no list 'traceEvents'",
        "{\"traceEvents\":[]}|has nothing in it that a report shows",
        "{\"traceEvents\":[3]}|event 0 is no object",
        "{\"traceEvents\":[{\"ph\":\"X\",\"ts\":\"a\",\"dur\":1}]}|event 0 has no number 'ts'",
        "{\"traceEvents\":[{\"ph\":\"X\",\"ts\":1}]}|event 0 has no number 'dur'",
      })
  void whatIsNoTraceIsRefused(String text, String problem) throws IOException {
    Path file = Files.writeString(folder.resolve("x.json"), text);
    assertThatExceptionOfType(TraceException.class)
        .isThrownBy(() -> TraceFile.read(file))
        .withMessageStartingWith(file.toString())
        .withMessageContaining(problem);
  }

  @Test
  void whatCannotBeReadIsRefused() throws IOException {
    Path binary = Files.write(folder.resolve("a.png"), new byte[] {(byte) 0x89, 'P', 'N', 'G'});
    assertThatExceptionOfType(TraceException.class)
        .isThrownBy(() -> TraceFile.read(binary))
        .withMessageContaining("not text");
    assertThatExceptionOfType(TraceException.class)
        .isThrownBy(() -> TraceFile.read(folder.resolve("none.json")))
        .withMessageContaining("does not exist");
    assertThatExceptionOfType(TraceException.class)
        .isThrownBy(() -> TraceFile.read(folder))
        .withMessageContaining("cannot be read");
  }
}
