package dev.rialto.jit.kernel;

import dev.rialto.jit.kernel.Tunable.Candidate;
import dev.rialto.jit.kernel.launch.ArrayArguments;
import dev.rialto.jit.kernel.launch.ResultComparison;
import dev.rialto.runtime.Buffer;
import dev.rialto.runtime.ComputeClient;
import dev.rialto.runtime.ComputeStream;
import dev.rialto.runtime.Tensor;
import dev.rialto.spi.data.Shape;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The candidates of a {@link Tunable} against one another, on copies of what they write.
 *
 * <p>What counts is the least of a candidate's turns: others who use the device can only add to it.
 */
final class TuningTrial {
  private static final int TURNS = 5;

  /** Slower than the best by this factor, a candidate has no more turns. */
  private static final double HOPELESS = 1.5;

  /** An improvement by less is noise. */
  private static final double BETTER = 0.97;

  /** The least and the most time for a candidate to become as fast as it gets. */
  private static final long WARM_NANOS = 20_000_000;

  private static final long MOST_WARM_NANOS = 1_000_000_000;

  /** A candidate that takes a smaller part of its best time so far is still getting faster. */
  private static final double FASTER = 0.9;

  private static final long TURN_NANOS = 1_000_000;
  private static final int MOST_LAUNCHES = 100;

  /** When this is over the turns of the moment are the last. */
  private static final long ENOUGH_NANOS = 1_000_000_000;

  private final Tunable tunable;
  private final ComputeClient client;
  private final double tolerance;
  private final List<Candidate> candidates;

  TuningTrial(Tunable tunable, double tolerance, List<Candidate> candidates) {
    this.tunable = tunable;
    this.client = tunable.client();
    this.tolerance = tolerance;
    this.candidates = candidates;
  }

  /** Returns which is the fastest; waits for it. */
  Tunable.Answer run(Shape size, Object... arguments) {
    Tunable.Answer[] found = new Tunable.Answer[1];
    try (ComputeStream stream = client.openStream();
        ArrayArguments arrays = new ArrayArguments(client, _ -> false, arguments)) {
      Object[] passed = arrays.passed();
      for (int i = 0; i < passed.length; i++) {
        passed[i] =
            arguments[i] instanceof KernelMemory && passed[i] instanceof Tensor tensor
                ? tensor.buffer()
                : passed[i];
      }
      client.on(stream, () -> found[0] = answer(size, passed));
    }
    return found[0];
  }

  private Tunable.Answer answer(Shape size, Object... arguments) {
    List<Contender> contenders = new ArrayList<>();
    for (Candidate each : candidates) {
      if (!tunable.isDropped(each)) {
        compile(each)
            .map(kernel -> new Contender(each, kernel, size))
            .filter(contender -> isFirst(each) || contender.kernel.takes(contender.items))
            .ifPresent(contenders::add);
      }
    }
    SortedMap<Integer, Buffer> written = new TreeMap<>();
    try {
      for (int i = 0; i < arguments.length; i++) {
        int place = i;
        if (arguments[i] instanceof Buffer buffer
            && contenders.stream().anyMatch(each -> each.kernel.writes(place))) {
          written.put(i, client.empty("copy for tuning", buffer.bytes()));
        }
      }
      Object[] passed = arguments.clone();
      written.forEach((i, copy) -> passed[i] = copy);
      check(contenders, arguments, written, passed);
      time(contenders, arguments, written, passed);
    } finally {
      written.values().forEach(Buffer::close);
    }
    return best(contenders);
  }

  private Optional<JavaKernel> compile(Candidate each) {
    try {
      return Optional.of(tunable.kernel(each));
    } catch (RuntimeException e) {
      if (isFirst(each)) {
        throw e;
      }
      tunable.drop(each, e.toString());
      return Optional.empty();
    }
  }

  /** Returns whether a candidate's results are the right ones. */
  private boolean isFirst(Candidate each) {
    return each.equals(candidates.getFirst());
  }

  /** Makes the copies what the caller's arrays are. */
  private void refresh(Object[] arguments, SortedMap<Integer, Buffer> written) {
    written.forEach((i, copy) -> client.copy((Buffer) arguments[i], copy));
  }

  /** Drops those that fail, and those whose results are not the first one's. */
  private void check(
      List<Contender> contenders,
      Object[] arguments,
      SortedMap<Integer, Buffer> written,
      Object[] passed) {
    Map<Integer, MemorySegment> expected = new LinkedHashMap<>();
    for (Contender each : List.copyOf(contenders)) {
      boolean isFirst = isFirst(each.candidate);
      try {
        refresh(arguments, written);
        each.launch(passed);
        client.sync();
        for (Map.Entry<Integer, Buffer> array : written.entrySet()) {
          MemorySegment result = client.read(array.getValue());
          if (isFirst) {
            expected.put(array.getKey(), result);
            continue;
          }
          String apart =
              ResultComparison.difference(
                  each.kernel.argument(array.getKey()),
                  Objects.requireNonNull(expected.get(array.getKey())),
                  result,
                  tolerance);
          if (!apart.isEmpty()) {
            throw new IllegalStateException(
                "argument %d is not what '%s' makes it: %s"
                    .formatted(array.getKey() + 1, candidates.getFirst().name(), apart));
          }
        }
      } catch (RuntimeException e) {
        if (isFirst) {
          throw e;
        }
        tunable.drop(each.candidate, e.toString());
        contenders.remove(each);
      }
    }
  }

  private void time(
      List<Contender> contenders,
      Object[] arguments,
      SortedMap<Integer, Buffer> written,
      Object[] passed) {
    for (Contender each : contenders) {
      refresh(arguments, written);
      each.warm(passed);
    }
    long start = System.nanoTime();
    for (int turn = 0; turn < TURNS; turn++) {
      double best = contenders.stream().mapToDouble(each -> each.nanos).min().orElseThrow();
      for (Contender each : contenders) {
        if (each.nanos <= HOPELESS * best) {
          refresh(arguments, written);
          each.turn(passed);
        }
      }
      if (System.nanoTime() - start > ENOUGH_NANOS) {
        return;
      }
    }
  }

  private Tunable.Answer best(List<Contender> contenders) {
    Contender best = contenders.getFirst();
    Map<String, Double> millis = new LinkedHashMap<>();
    for (Contender each : contenders) {
      millis.put(each.candidate.name(), each.nanos / 1e6);
      if (each.nanos < (best == contenders.getFirst() ? BETTER : 1) * best.nanos) {
        best = each;
      }
    }
    return new Tunable.Answer(best.candidate.name(), millis);
  }

  /** A candidate that may win. */
  private final class Contender {
    private final Candidate candidate;
    private final JavaKernel kernel;
    private final Shape items;

    /** The time of a launch in the best turn so far; infinite before the first. */
    private double nanos = Double.POSITIVE_INFINITY;

    Contender(Candidate candidate, JavaKernel kernel, Shape size) {
      this.candidate = candidate;
      this.kernel = kernel;
      this.items = candidate.items().apply(size);
    }

    void launch(Object... arguments) {
      kernel.launch(items, arguments);
    }

    /**
     * Launches until nothing got faster for as long as it did before: the JVM compiles a kernel
     * several times while it runs, and one of vectors took 500 times as long at first.
     */
    void warm(Object... arguments) {
      try (JavaKernel.Prepared prepared = kernel.prepare(items, arguments)) {
        long begin = System.nanoTime();
        long end = begin;
        long fell = begin;
        double before = nanos;
        while (end - begin < WARM_NANOS
            || (end - begin < MOST_WARM_NANOS && end - fell < fell - begin)) {
          end = launch(prepared, 1);
          if (nanos < FASTER * before) {
            before = nanos;
            fell = end;
          }
        }
      }
    }

    /** Launches as often as makes a turn. */
    void turn(Object... arguments) {
      try (JavaKernel.Prepared prepared = kernel.prepare(items, arguments)) {
        long begin = System.nanoTime();
        int launches = Math.clamp((long) (TURN_NANOS / Math.max(1, nanos)), 1, MOST_LAUNCHES);
        while (launch(prepared, launches) - begin < TURN_NANOS) {
          // Until a turn is over.
        }
      }
    }

    /** Keeps the least time of a launch, and returns when they are done. */
    private long launch(JavaKernel.Prepared prepared, int launches) {
      client.sync();
      long start = System.nanoTime();
      for (int i = 0; i < launches; i++) {
        prepared.run();
      }
      client.sync();
      long end = System.nanoTime();
      nanos = Math.min(nanos, (double) (end - start) / launches);
      return end;
    }
  }
}
