package dev.rialto.system;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The sizes of the processor's caches as the system tells them, and usual ones where it does not.
 */
public final class CacheSizes {
  private static final long USUAL_FIRST_LEVEL = 32 << 10;
  private static final Pattern SIZE = Pattern.compile("(\\d+)([KM]?)");

  private CacheSizes() {}

  private static final class Looked {
    static final long FIRST_LEVEL = look().orElse(USUAL_FIRST_LEVEL);
  }

  /** Returns the bytes of data that the first level holds for one core. */
  public static long firstLevel() {
    return Looked.FIRST_LEVEL;
  }

  private static OptionalLong look() {
    return switch (OperatingSystem.current()) {
      case LINUX -> firstLevel(Path.of("/sys/devices/system/cpu/cpu0/cache"));
      case MACOS -> size(outputOf("sysctl", "-n", "hw.l1dcachesize"));
      case WINDOWS -> OptionalLong.empty();
    };
  }

  /**
   * Returns what the folder of a core's caches says of the first level; empty if it is not told.
   */
  static OptionalLong firstLevel(Path caches) {
    try (DirectoryStream<Path> each = Files.newDirectoryStream(caches, "index*")) {
      for (Path cache : each) {
        if (text(cache, "level").equals("1") && !text(cache, "type").equals("Instruction")) {
          return size(text(cache, "size"));
        }
      }
    } catch (IOException e) {
      // Virtual machines and containers may hide it.
      return OptionalLong.empty();
    }
    return OptionalLong.empty();
  }

  private static String text(Path cache, String name) throws IOException {
    return Files.readString(cache.resolve(name), US_ASCII).strip();
  }

  /** Reads {@code 32K}, {@code 1M} or a plain number of bytes. */
  static OptionalLong size(String text) {
    Matcher parts = SIZE.matcher(text);
    if (!parts.matches()) {
      return OptionalLong.empty();
    }
    long number = Long.parseLong(parts.group(1));
    return OptionalLong.of(
        switch (parts.group(2)) {
          case "K" -> number << 10;
          case "M" -> number << 20;
          default -> number;
        });
  }

  private static String outputOf(String... command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      return new String(process.getInputStream().readAllBytes(), US_ASCII).strip();
    } catch (IOException e) {
      return ""; // which is no size
    }
  }
}
