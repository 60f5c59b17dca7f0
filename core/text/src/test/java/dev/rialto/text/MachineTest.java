package dev.rialto.text;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MachineTest {

  @Test
  void thisMachineHasANameCoresAndMemory() {
    Machine machine = Machine.current();

    assertThat(machine.cpu()).isNotBlank();
    assertThat(machine.cores()).isPositive();
    assertThat(machine.memoryBytes()).isGreaterThan(1L << 20);
    assertThat(machine.jdk()).contains(System.getProperty("java.version"));
  }

  @ParameterizedTest
  @CsvSource({
    "0,0 B",
    "1023,1023 B",
    "1024,1.0 KiB",
    "1536,1.5 KiB",
    "1073741824,1.0 GiB",
    "9223372036854775807,8.0 EiB"
  })
  void bytesAreWrittenForPeople(long bytes, String text) {
    assertThat(Machine.bytes(bytes)).isEqualTo(text);
  }

  @Test
  void theVersionIsTheOneOfTheBuild() {
    assertThat(Version.current()).matches("\\d+\\.\\d+\\.\\d+(-.+)?");
  }
}
