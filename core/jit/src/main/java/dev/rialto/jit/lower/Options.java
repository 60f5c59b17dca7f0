package dev.rialto.jit.lower;

import java.util.EnumSet;
import java.util.Map;
import java.util.Set;

/**
 * The choices of lowering a program.
 *
 * @param optimize whether passes run; without, the loops are the program word by word
 * @param fast whether floating-point operations may be reordered and contracted
 * @param vectorBits the widest vector; 0 for none
 * @param arithmeticOnly whether vectors are for loads, stores and arithmetic alone
 * @param schedules by target node, schedules to use instead of the automatic ones
 * @param features what a GPU's threads can do; none if the program is for the host's cores
 */
public record Options(
    boolean optimize,
    boolean fast,
    int vectorBits,
    boolean arithmeticOnly,
    Map<String, Schedule> schedules,
    Set<Feature> features) {
  /** An ability of a device's threads. */
  public enum Feature {
    /** Each element has a thread of its own. */
    THREADS,
    /** Threads of a block wait for one another and share memory. */
    BLOCKS,
    /** Threads of a subgroup exchange values. */
    EXCHANGES,
    /** Elements of 64 bits are changed atomically. */
    WIDE_ATOMICS,
    /** A thread does as many neighbouring elements as 16 bytes hold. */
    PACKS
  }

  /** For the host's cores. */
  public Options(
      boolean optimize,
      boolean fast,
      int vectorBits,
      boolean arithmeticOnly,
      Map<String, Schedule> schedules) {
    this(optimize, fast, vectorBits, arithmeticOnly, schedules, Set.of());
  }

  /** For a device that can do everything, strict or fast. */
  public static Options threads(boolean fast) {
    return new Options(true, fast, 0, false, Map.of(), EnumSet.allOf(Feature.class));
  }

  /** Strict, with vectors of {@code vectorBits}. */
  public static Options strict(int vectorBits) {
    return new Options(true, false, vectorBits, false, Map.of());
  }

  /** Fast, with vectors of {@code vectorBits}. */
  public static Options fast(int vectorBits) {
    return new Options(true, true, vectorBits, false, Map.of());
  }

  /** Copies the schedules and features. */
  public Options {
    schedules = Map.copyOf(schedules);
    features = Set.copyOf(features);
  }

  /** Returns whether it is for threads of a device. */
  public boolean threads() {
    return features.contains(Feature.THREADS);
  }

  boolean has(Feature feature) {
    return features.contains(feature);
  }

  /** Returns these options with schedules by target node. */
  public Options withSchedules(Map<String, Schedule> schedules) {
    return new Options(optimize, fast, vectorBits, arithmeticOnly, schedules, features);
  }
}
