package dev.rialto.text;

import java.io.IOException;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * What the processor can do at most, as measured: the two lines of a roofline.
 *
 * <p>Work that does {@code f} operations on {@code b} bytes takes at least the longer of {@code b /
 * bandwidth} and {@code f / flops} seconds. Measuring takes about a second, so the answer is kept
 * in the user's cache folder ({@code -Drialto.cache=DIR}) for each processor, Java runtime and
 * number of threads. It is the best of many short samples, which a busy machine disturbs little;
 * {@code -Drialto.limits=measure} measures again, as removing the file does.
 *
 * @param threads how many threads ran at once
 * @param bandwidth bytes per second that the STREAM triad moves on arrays beyond the caches,
 *     counted as STREAM does: two reads and a write
 * @param flopsF32 operations per second on 32-bit numbers, where a fused multiply-add is two
 * @param flopsF64 the same on 64-bit numbers
 */
public record MachineLimits(int threads, double bandwidth, double flopsF32, double flopsF64) {
  private static final System.Logger LOG = System.getLogger("dev.rialto.limits");

  /** Returns the limits of all cores together. */
  public static MachineLimits current() {
    return of(Runtime.getRuntime().availableProcessors());
  }

  /**
   * Returns the limits of some threads, from the cache if they were measured before.
   *
   * @param threads from 1
   */
  public static synchronized MachineLimits of(int threads) {
    if (threads < 1) {
      throw new IllegalArgumentException("limits of " + threads + " threads; give at least 1");
    }
    String folder = System.getProperty("rialto.cache", "");
    Path file =
        (folder.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".cache", "rialto")
                : Path.of(folder))
            .resolve(fileName(threads));
    boolean anew = "measure".equals(System.getProperty("rialto.limits"));
    Optional<MachineLimits> known = anew ? Optional.empty() : read(file, threads);
    if (known.isPresent()) {
      return known.get();
    }
    MachineLimits measured = new LimitLoops(threads).measure();
    write(file, measured);
    return measured;
  }

  private static String fileName(int threads) {
    Machine machine = Machine.current();
    String key = machine.cpu() + "-" + machine.cores() + "-" + machine.jdk() + "-" + threads;
    return "limits-" + key.replaceAll("[^A-Za-z0-9.]+", "-").toLowerCase(Locale.ROOT) + ".json";
  }

  private static Optional<MachineLimits> read(Path file, int threads) {
    if (!Files.exists(file)) {
      return Optional.empty();
    }
    try {
      if (Json.read(Files.readString(file)) instanceof Map<?, ?> entry
          && entry.get("bandwidth") instanceof Double bandwidth
          && entry.get("flopsF32") instanceof Double flopsF32
          && entry.get("flopsF64") instanceof Double flopsF64
          && bandwidth > 0
          && flopsF32 > 0
          && flopsF64 > 0) {
        return Optional.of(new MachineLimits(threads, bandwidth, flopsF32, flopsF64));
      }
      LOG.log(Level.WARNING, "{0} is not used: it holds no limits", file);
    } catch (IOException | JsonException e) {
      LOG.log(Level.WARNING, "{0} is not used: {1}", file, e.toString());
    }
    return Optional.empty();
  }

  private static void write(Path file, MachineLimits limits) {
    try {
      Path folder = Files.createDirectories(file.toAbsolutePath().getParent());
      Path next = Files.createTempFile(folder, "limits", ".new");
      Files.writeString(next, Json.write(limits));
      Files.move(next, file, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException e) {
      LOG.log(Level.WARNING, "The limits are not remembered in {0}: {1}", file, e.toString());
    }
  }
}
