package dev.rialto.jit.run;

import dev.rialto.jit.lower.Schedule;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What holds for everything a back end compiles.
 *
 * @param fast whether floating-point operations may be reordered and contracted
 * @param optimize whether the passes run
 * @param cache the folder of compiled code, if it is kept
 * @param cacheLimit the most bytes that this folder's code takes
 * @param dump the folder into which every stage is written, if wanted
 * @param schedules by target node, schedules to use instead of the automatic ones
 */
public record Settings(
    boolean fast,
    boolean optimize,
    Optional<Path> cache,
    long cacheLimit,
    Optional<Path> dump,
    Map<String, Schedule> schedules) {
  private static final long DEFAULT_LIMIT_MIB = 256;

  /** Copies the schedules. */
  public Settings {
    schedules = Map.copyOf(schedules);
  }

  /**
   * Reads {@code -Drialto.jit.cache=DIR} (or {@code off}), {@code -Drialto.jit.cache.mib=N} and
   * {@code -Drialto.jit.dump=DIR}; strict, optimized, and with a cache of 256 MiB in the user's
   * cache folder unless told otherwise.
   *
   * @throws IllegalArgumentException if the size is not a number
   */
  public static Settings fromProperties() {
    String cache = System.getProperty("rialto.jit.cache");
    String dump = System.getProperty("rialto.jit.dump");
    Path home = Path.of(System.getProperty("user.home"), ".cache", "rialto", "code");
    return new Settings(
        false,
        true,
        "off".equals(cache) ? Optional.empty() : Optional.of(cache == null ? home : Path.of(cache)),
        limit(System.getProperty("rialto.jit.cache.mib")) << 20,
        Optional.ofNullable(dump).map(Path::of),
        Map.of());
  }

  private static long limit(@Nullable String mib) {
    try {
      return mib == null ? DEFAULT_LIMIT_MIB : Long.parseLong(mib);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "-Drialto.jit.cache.mib=" + mib + " is not a number of MiB, such as 256", e);
    }
  }

  /** Returns these settings, fast or not. */
  public Settings withFast(boolean fast) {
    return new Settings(fast, optimize, cache, cacheLimit, dump, schedules);
  }

  /** Returns these settings, optimizing or not. */
  public Settings withOptimize(boolean optimize) {
    return new Settings(fast, optimize, cache, cacheLimit, dump, schedules);
  }

  /** Returns these settings with another cache. */
  public Settings withCache(Optional<Path> cache) {
    return new Settings(fast, optimize, cache, cacheLimit, dump, schedules);
  }

  /** Returns these settings with another limit for the cache, in bytes. */
  public Settings withCacheLimit(long cacheLimit) {
    return new Settings(fast, optimize, cache, cacheLimit, dump, schedules);
  }

  /** Returns these settings with another folder for stages. */
  public Settings withDump(Optional<Path> dump) {
    return new Settings(fast, optimize, cache, cacheLimit, dump, schedules);
  }

  /** Returns these settings with schedules by target node. */
  public Settings withSchedules(Map<String, Schedule> schedules) {
    return new Settings(fast, optimize, cache, cacheLimit, dump, schedules);
  }
}
