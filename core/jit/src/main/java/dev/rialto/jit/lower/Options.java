package dev.rialto.jit.lower;

import java.util.Map;

/**
 * How a program is lowered.
 *
 * @param optimize whether passes run; without, the loops are the program word by word
 * @param fast whether floating-point operations may be reordered and contracted
 * @param vectorBits the widest vector; 0 for none
 * @param arithmeticOnly whether vectors are for loads, stores and arithmetic alone
 * @param schedules by target node, schedules to use instead of the automatic ones
 * @param threads whether each element has a thread of its own, as on a GPU
 * @param cuda whether CUDA text takes the place of some loops
 */
public record Options(
    boolean optimize,
    boolean fast,
    int vectorBits,
    boolean arithmeticOnly,
    Map<String, Schedule> schedules,
    boolean threads,
    boolean cuda) {
  /** For the host's cores. */
  public Options(
      boolean optimize,
      boolean fast,
      int vectorBits,
      boolean arithmeticOnly,
      Map<String, Schedule> schedules) {
    this(optimize, fast, vectorBits, arithmeticOnly, schedules, false, false);
  }

  /** For an NVIDIA GPU, strict or fast. */
  public static Options threads(boolean fast) {
    return new Options(true, fast, 0, false, Map.of(), true, true);
  }

  /** Strict, with vectors of {@code vectorBits}. */
  public static Options strict(int vectorBits) {
    return new Options(true, false, vectorBits, false, Map.of());
  }

  /** Fast, with vectors of {@code vectorBits}. */
  public static Options fast(int vectorBits) {
    return new Options(true, true, vectorBits, false, Map.of());
  }

  /** Copies the schedules. */
  public Options {
    schedules = Map.copyOf(schedules);
  }

  /** Returns these options with schedules by target node. */
  public Options withSchedules(Map<String, Schedule> schedules) {
    return new Options(optimize, fast, vectorBits, arithmeticOnly, schedules, threads, cuda);
  }
}
