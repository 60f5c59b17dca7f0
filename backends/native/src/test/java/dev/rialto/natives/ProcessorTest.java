package dev.rialto.natives;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class ProcessorTest {
  private static final Processor X86 =
      new Processor(
          List.of(
              "processor\t: 0",
              "model name\t: Some Xeon",
              "cpu MHz\t\t: 2800.1",
              "flags\t\t: fpu sse4_2 avx avx2 bmi1",
              "",
              "processor\t: 1"),
          "amd64");

  private static final Processor ARM = arm("fp asimd sve");

  private static Processor arm(String features) {
    return new Processor(
        List.of(
            "processor\t: 0",
            "BogoMIPS\t: 50.00",
            "Features\t: " + features,
            "CPU implementer\t: 0x41",
            "CPU part\t: 0xd40"),
        "aarch64");
  }

  @Test
  void flagsOfX86AreOptionsOfTheCompiler() {
    assertThat(X86.features()).containsExactly("-msse4.2", "-mavx", "-mbmi", "-mavx2");
    assertThat(ARM.features()).isEmpty();
  }

  @Test
  void processorsWithOtherInstructionsHaveOtherNames() {
    assertThat(X86.name()).contains("Some Xeon").contains("amd64");
    assertThat(ARM.name()).contains("0xd40").isNotEqualTo(arm("fp asimd").name());
    assertThat(new Processor(List.of(), "aarch64").name()).contains("aarch64");
  }

  @Test
  void aChangingClockIsNoOtherProcessor() {
    List<String> later =
        X86.about().stream().map(line -> line.replace("2800.1", "1200.0")).toList();
    assertThat(new Processor(later, "amd64").name()).isEqualTo(X86.name());
  }

  @Test
  void vectorsHaveAtLeast128Bits() {
    assertThat(Processor.vectorBits()).isIn(128, 256, 512, 1024, 2048);
  }
}
