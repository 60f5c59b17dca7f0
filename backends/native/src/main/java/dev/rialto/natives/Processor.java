package dev.rialto.natives;

import dev.rialto.spi.vector.VectorApi;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The processor that machine code is made for.
 *
 * @param about lines of Linux' {@code /proc/cpuinfo} about one core; none on other systems
 * @param architecture as the JVM calls it
 */
record Processor(List<String> about, String architecture) {
  /** The vectors that all 64-bit processors have. */
  private static final int LEAST_VECTOR_BITS = 128;

  /** Differs between cores of one kind, or between two looks at one. */
  private static final Pattern PASSING =
      Pattern.compile(
          "(?i)(processor|cpu MHz|bogomips|apicid|initial apicid|core id|physical id).*");

  private static final List<String> X86_FEATURES =
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

  private static final Processor HERE =
      new Processor(read(), System.getProperty("os.arch", "unknown"));

  /** Kept: the flags are a long line, which would be digested again for each program. */
  private static final String NAME_HERE = HERE.name();

  /** Returns the one that this JVM runs on. */
  static Processor here() {
    return HERE;
  }

  /** Returns its {@link #name}. */
  static String nameHere() {
    return NAME_HERE;
  }

  private static List<String> read() {
    Path file = Path.of("/proc/cpuinfo");
    try {
      return Files.isReadable(file) ? Files.readAllLines(file) : List.of();
    } catch (IOException e) {
      // Then the architecture alone is known.
      return List.of();
    }
  }

  /**
   * Returns what code that was made for this processor is kept under. Two that understand different
   * instructions have different names, whatever words their system describes them with.
   */
  String name() {
    List<String> core =
        about.stream()
            .takeWhile(line -> !line.isBlank())
            .filter(line -> !PASSING.matcher(line).matches())
            .toList();
    String model =
        Stream.of("model name", "CPU part", "uarch")
            .flatMap(key -> line(key).stream())
            .findFirst()
            .orElseGet(() -> System.getenv().getOrDefault("PROCESSOR_IDENTIFIER", ""));
    return "%s %08x %s".formatted(model, core.hashCode(), architecture).strip();
  }

  private Optional<String> line(String key) {
    return about.stream().filter(line -> line.startsWith(key)).findFirst();
  }

  /**
   * Returns what {@code -march=native} means, for a compiler that does not know that flag. Only
   * x86's baseline is far below what processors have; elsewhere the compiler's own is taken.
   */
  List<String> features() {
    List<String> here = List.of(line("flags").orElse("").split("\\s+", -1));
    return X86_FEATURES.stream()
        .filter(feature -> here.contains(feature.replace('.', '_')))
        .map(feature -> "-m" + (feature.equals("bmi1") ? "bmi" : feature))
        .toList();
  }

  /** Returns the width of vectors to ask a compiler for. */
  static int vectorBits() {
    return Math.max(LEAST_VECTOR_BITS, VectorApi.bits());
  }
}
