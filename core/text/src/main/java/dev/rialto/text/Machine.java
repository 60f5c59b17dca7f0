package dev.rialto.text;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The description of the machine that a report was made on.
 *
 * @param cpu the processor's name, or its architecture where the system does not tell
 * @param cores the hardware threads that this process may use
 * @param memoryBytes the memory of the machine, or of the container that limits it; 0 if unknown
 * @param os the operating system, its version and architecture
 * @param jdk the Java runtime: vendor and version
 */
public record Machine(String cpu, int cores, long memoryBytes, String os, String jdk) {

  /**
   * Describes the machine that this JVM runs on.
   *
   * @return the description
   */
  public static Machine current() {
    return new Machine(
        cpuName(),
        Runtime.getRuntime().availableProcessors(),
        totalMemory(),
        String.join(" ", property("os.name"), property("os.version"), property("os.arch")),
        property("java.vendor") + " " + property("java.runtime.version"));
  }

  /**
   * Writes a number of bytes as people read it, such as {@code 15.6 GiB}.
   *
   * @param bytes the number, not negative
   * @return the text
   */
  public static String bytes(long bytes) {
    if (bytes < 1024) {
      return bytes + " B";
    }
    int power = (63 - Long.numberOfLeadingZeros(bytes)) / 10;
    double value = bytes / (double) (1L << (10 * power));
    return String.format(Locale.ROOT, "%.1f %siB", value, "KMGTPE".charAt(power - 1));
  }

  private static String property(String name) {
    return System.getProperty(name, "unknown");
  }

  private static String cpuName() {
    // Linux has it in a file; x86 and ARM differ in the key, and many ARM kernels give no name.
    Path cpuinfo = Path.of("/proc/cpuinfo");
    if (Files.isReadable(cpuinfo)) {
      try (Stream<String> lines = Files.lines(cpuinfo)) {
        return lines
            .filter(line -> line.startsWith("model name") || line.startsWith("Model"))
            .map(line -> line.substring(line.indexOf(':') + 1).strip())
            .findFirst()
            .orElseGet(() -> property("os.arch"));
      } catch (IOException e) {
        return property("os.arch");
      }
    }
    if (property("os.name").startsWith("Mac")) {
      return outputOf("sysctl", "-n", "machdep.cpu.brand_string");
    }
    String windows = System.getenv("PROCESSOR_IDENTIFIER");
    return windows != null ? windows : property("os.arch");
  }

  private static String outputOf(String... command) {
    try {
      Process process = new ProcessBuilder(List.of(command)).redirectErrorStream(true).start();
      String output =
          new String(process.getInputStream().readAllBytes(), Charset.defaultCharset()).strip();
      return process.waitFor() == 0 && !output.isEmpty() ? output : property("os.arch");
    } catch (IOException e) {
      return property("os.arch");
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return property("os.arch");
    }
  }

  private static long totalMemory() {
    return ManagementFactory.getOperatingSystemMXBean()
            instanceof com.sun.management.OperatingSystemMXBean system
        ? system.getTotalMemorySize()
        : 0;
  }
}
