package dev.rialto.jit.run;

import dev.rialto.jit.lower.Schedule;
import dev.rialto.system.files.CodeStore;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * The settings of everything that a back end compiles.
 *
 * @param fast whether floating-point operations may be reordered and contracted
 * @param optimize whether the passes run
 * @param cache the folder of compiled code, if it is kept
 * @param cacheLimit the most bytes that this folder's code takes
 * @param dump the folder into which every stage is written, if wanted
 * @param schedules by target node, schedules to use instead of the automatic ones
 * @param checks whether routines look for NaN and infinity in each node that they compute, step by
 *     step and without the passes
 * @param virtualDevices what {@link JitBackend#suggestedVirtualDevices} suggests
 */
public record Settings(
    boolean fast,
    boolean optimize,
    Optional<Path> cache,
    long cacheLimit,
    Optional<Path> dump,
    Map<String, Schedule> schedules,
    boolean checks,
    VirtualDevices virtualDevices) {
  /** The number of virtual devices of a physical one. */
  public enum VirtualDevices {
    /** One. */
    ONE,
    /** As many as it has cores, or a GPU multiprocessors. */
    PER_CORE
  }

  /** Copies the schedules. */
  public Settings {
    schedules = Map.copyOf(schedules);
  }

  /**
   * Reads {@code -Drialto.jit.cache=DIR} (or {@code off}), {@code -Drialto.jit.cache.mib=N}, {@code
   * -Drialto.jit.dump=DIR}, {@code -Drialto.jit.checks=true} and {@code
   * -Drialto.jit.devices=per_core}; strict, optimized, unchecked, with one virtual device and a
   * cache of 256 MiB in the user's cache folder unless told otherwise.
   *
   * @throws IllegalArgumentException if the size is not a number, or devices are neither {@code
   *     one} nor {@code per_core}
   */
  public static Settings fromProperties() {
    String dump = System.getProperty("rialto.jit.dump");
    return new Settings(
        false,
        true,
        CodeStore.folder(),
        CodeStore.limit(),
        Optional.ofNullable(dump).map(Path::of),
        Map.of(),
        Boolean.getBoolean("rialto.jit.checks"),
        devices(System.getProperty("rialto.jit.devices", "one")));
  }

  static VirtualDevices devices(String name) {
    for (VirtualDevices each : VirtualDevices.values()) {
      if (each.name().toLowerCase(Locale.ROOT).equals(name)) {
        return each;
      }
    }
    throw new IllegalArgumentException(
        "-Drialto.jit.devices=" + name + " is not known; give one or per_core");
  }

  /** Returns these settings, fast or not. */
  public Settings withFast(boolean fast) {
    return new Settings(fast, optimize, cache, cacheLimit, dump, schedules, checks, virtualDevices);
  }

  /** Returns these settings, optimizing or not. */
  public Settings withOptimize(boolean optimize) {
    return new Settings(fast, optimize, cache, cacheLimit, dump, schedules, checks, virtualDevices);
  }

  /** Returns these settings with another cache. */
  public Settings withCache(Optional<Path> cache) {
    return new Settings(fast, optimize, cache, cacheLimit, dump, schedules, checks, virtualDevices);
  }

  /** Returns these settings with another limit for the cache, in bytes. */
  public Settings withCacheLimit(long cacheLimit) {
    return new Settings(fast, optimize, cache, cacheLimit, dump, schedules, checks, virtualDevices);
  }

  /** Returns these settings with another folder for stages. */
  public Settings withDump(Optional<Path> dump) {
    return new Settings(fast, optimize, cache, cacheLimit, dump, schedules, checks, virtualDevices);
  }

  /** Returns these settings with schedules by target node. */
  public Settings withSchedules(Map<String, Schedule> schedules) {
    return new Settings(fast, optimize, cache, cacheLimit, dump, schedules, checks, virtualDevices);
  }

  /** Returns these settings with checks of what routines compute, or without. */
  public Settings withChecks(boolean checks) {
    return new Settings(fast, optimize, cache, cacheLimit, dump, schedules, checks, virtualDevices);
  }

  /** Returns these settings with another suggestion of virtual devices. */
  public Settings withVirtualDevices(VirtualDevices virtualDevices) {
    return new Settings(fast, optimize, cache, cacheLimit, dump, schedules, checks, virtualDevices);
  }
}
