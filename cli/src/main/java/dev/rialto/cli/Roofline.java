package dev.rialto.cli;

import dev.rialto.jit.lower.LoopCost;
import dev.rialto.runtime.limits.MachineLimits;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * The place of a program under the machine's roofline: how long its bytes and its operations take
 * at least, and which of the two is longer. A program whose data stays in the caches can be faster
 * than memory allows.
 *
 * @param work what the program's loops do
 * @param limits of the threads that it runs on
 */
record Roofline(LoopCost work, MachineLimits limits) {
  private static final double MILLIS = 1e3;

  private double memoryMillis() {
    return work.bytes() / limits.bandwidth() * MILLIS;
  }

  private double computeMillis() {
    return (work.f32() / limits.flopsF32() + work.f64() / limits.flopsF64()) * MILLIS;
  }

  /** Returns the milliseconds that a run takes at least. */
  double shortestMillis() {
    return Math.max(memoryMillis(), computeMillis());
  }

  /** Returns the position, for people and programs. */
  Map<String, Object> position() {
    Map<String, Object> position = new LinkedHashMap<>();
    position.put("operations", work.operations());
    position.put("bytes", work.bytes());
    position.put("operationsPerByte", rounded(work.intensity()));
    position.put("limitThreads", limits.threads());
    position.put("limitGigabytesPerSecond", rounded(limits.bandwidth() / 1e9));
    position.put(
        "limitGigaOperationsPerSecond",
        rounded((work.f64() > 0 ? limits.flopsF64() : limits.flopsF32()) / 1e9));
    position.put("boundBy", memoryMillis() >= computeMillis() ? "memory" : "arithmetic");
    position.put("shortestMilliseconds", rounded(shortestMillis()));
    return position;
  }

  /** Returns the position with what a run of some milliseconds attained of it. */
  Map<String, Object> attained(double millis) {
    Map<String, Object> position = position();
    position.put("milliseconds", rounded(millis));
    position.put("gigabytesPerSecond", rounded(work.bytes() / millis / 1e6));
    position.put("gigaOperationsPerSecond", rounded(work.operations() / millis / 1e6));
    position.put("attained", rounded(shortestMillis() / millis));
    return position;
  }

  private static double rounded(double value) {
    return Double.parseDouble(String.format(Locale.ROOT, "%.4g", value));
  }
}
