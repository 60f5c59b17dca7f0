package dev.rialto.runtime.limits;

import dev.rialto.system.files.CacheFolder;
import dev.rialto.text.Json;
import dev.rialto.text.JsonException;
import dev.rialto.text.Machine;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The limits of the processor, as measured: the two lines of a roofline.
 *
 * <p>Work that does {@code f} operations on {@code b} bytes takes at least the longer of {@code b /
 * bandwidth} and {@code f / flops} seconds. Measuring takes about a second, so the answer is kept
 * in the user's {@linkplain CacheFolder#standard cache folder} for each processor, Java runtime and
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
    CacheFolder cache = CacheFolder.standard();
    String file = fileName(threads);
    boolean anew = "measure".equals(System.getProperty("rialto.limits"));
    Optional<MachineLimits> known = anew ? Optional.empty() : read(cache, file, threads);
    if (known.isPresent()) {
      return known.get();
    }
    MachineLimits measured = new LimitLoops(threads).measure();
    cache.write(file, Json.write(measured).getBytes(StandardCharsets.UTF_8));
    return measured;
  }

  private static String fileName(int threads) {
    Machine machine = Machine.current();
    String key = machine.cpu() + "-" + machine.cores() + "-" + machine.jdk() + "-" + threads;
    return "limits-" + key.replaceAll("[^A-Za-z0-9.]+", "-").toLowerCase(Locale.ROOT) + ".json";
  }

  private static Optional<MachineLimits> read(CacheFolder cache, String file, int threads) {
    Optional<byte[]> kept = cache.read(file);
    if (kept.isEmpty()) {
      return Optional.empty();
    }
    try {
      if (Json.read(new String(kept.get(), StandardCharsets.UTF_8)) instanceof Map<?, ?> entry
          && entry.get("bandwidth") instanceof Double bandwidth
          && entry.get("flopsF32") instanceof Double flopsF32
          && entry.get("flopsF64") instanceof Double flopsF64
          && bandwidth > 0
          && flopsF32 > 0
          && flopsF64 > 0) {
        return Optional.of(new MachineLimits(threads, bandwidth, flopsF32, flopsF64));
      }
      LOG.log(Level.WARNING, "{0} is not used: it holds no limits", file);
    } catch (JsonException e) {
      LOG.log(Level.WARNING, "{0} is not used: {1}", file, e.toString());
    }
    return Optional.empty();
  }
}
