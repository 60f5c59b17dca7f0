package dev.rialto.bench;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;

/** The times of each case over all rounds; the median is what is reported. */
public final class Samples {
  private final Map<String, List<Double>> times = new LinkedHashMap<>();

  public void add(String name, double time) {
    times.computeIfAbsent(name, _ -> new ArrayList<>()).add(time);
  }

  public void addAll(Map<String, Double> round) {
    round.forEach(this::add);
  }

  /** Returns the median; not a number for a case that was not measured. */
  public double time(String name) {
    return median(name).orElse(Double.NaN);
  }

  public OptionalDouble median(String name) {
    List<Double> sorted = new ArrayList<>(times.getOrDefault(name, List.of()));
    Collections.sort(sorted);
    int n = sorted.size();
    return n == 0
        ? OptionalDouble.empty()
        : OptionalDouble.of((sorted.get((n - 1) / 2) + sorted.get(n / 2)) / 2);
  }
}
