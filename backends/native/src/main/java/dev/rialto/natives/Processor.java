package dev.rialto.natives;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What the processor is and how wide its vectors are, as the operating system tells it. */
final class Processor {
  private static final List<String> ABOUT = read();
  private static final List<String> FEATURES =
      List.of(
          "sse4.2",
          "popcnt",
          "avx",
          "f16c",
          "fma",
          "bmi1",
          "bmi2",
          "avx2",
          "avx512f",
          "avx512dq",
          "avx512cd",
          "avx512bw",
          "avx512vl",
          "avx512vbmi");

  /** The flags are a long line, which would be digested again for each program. */
  private static final String NAME =
      line("model name")
          + String.format(" flags %08x ", line("flags").hashCode())
          + System.getProperty("os.arch");

  private Processor() {}

  private static List<String> read() {
    Path file = Path.of("/proc/cpuinfo");
    try {
      return Files.isReadable(file) ? Files.readAllLines(file) : List.of();
    } catch (IOException e) {
      // Then nothing is known of the processor, and vectors are of the size that all have.
      return List.of();
    }
  }

  private static String line(String key) {
    return ABOUT.stream().filter(line -> line.startsWith(key)).findFirst().orElse("");
  }

  static String name() {
    return NAME;
  }

  /** What {@code -march=native} means, for a compiler that does not know that flag. */
  static List<String> features() {
    List<String> here = List.of(line("flags").split("\\s+", -1));
    return FEATURES.stream()
        .filter(feature -> here.contains(feature.replace('.', '_')))
        .map(feature -> "-m" + (feature.equals("bmi1") ? "bmi" : feature))
        .toList();
  }

  static int vectorBits() {
    String flags = line("flags");
    return flags.contains(" avx512f") ? 512 : flags.contains(" avx2") ? 256 : 128;
  }
}
