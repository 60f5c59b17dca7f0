package dev.rialto.jit.run;

import dev.rialto.jit.lower.Schedule;
import dev.rialto.spi.parts.CodeStore;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

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
    String dump = System.getProperty("rialto.jit.dump");
    return new Settings(
        false,
        true,
        CodeStore.folder(),
        CodeStore.limit(),
        Optional.ofNullable(dump).map(Path::of),
        Map.of());
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
