package dev.rialto.jit.lower;

import dev.rialto.jit.Assign;
import dev.rialto.jit.SyntaxException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The order and form of the loops of one assignment: a value that prints, reads back and compares.
 *
 * <p>Unless reordered, loops that are assigned along come first, those that are summed over inside
 * them. Steps name loops by their axes: {@code parallel i; block j 64; unroll i 4; vector j 16}.
 *
 * @param steps the decisions, in any order but that of blocks, which nest as they are written
 */
public record Schedule(List<Step> steps) {
  /** The plain loops, in order. */
  public static final Schedule PLAIN = new Schedule(List.of());

  /** Code grows with unrolling, and compilers take longer than that; no kernel gains so far. */
  static final int MOST_UNROLLED = 64;

  private static final int MOST_LANES = 64;

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalArgumentException(otherwise);
    }
  }

  /** One decision. */
  public sealed interface Step {
    /** Returns the axis. */
    String axis();
  }

  /** Divides a loop, outermost, among threads. */
  public record Parallel(String axis) implements Step {}

  /** Cuts a loop into blocks; the loop over the blocks is outside all that are not over blocks. */
  public record Block(String axis, int size) implements Step {
    /** Checks the size. */
    public Block {
      require(size >= 1, "blocks have from 1 element on, not " + size);
    }
  }

  /**
   * The order of all loops, outermost first; the parallel one stays outside.
   *
   * @param axes each loop once
   */
  public record Reorder(List<String> axes) implements Step {
    /** Copies the axes. */
    public Reorder {
      axes = List.copyOf(axes);
    }

    @Override
    public String axis() {
      return String.join(" ", axes);
    }
  }

  /** Does several steps of a loop at once; of target loops, inside those that are summed over. */
  public record Unroll(String axis, int times) implements Step {
    /** Checks the number. */
    public Unroll {
      require(
          times >= 1 && times <= MOST_UNROLLED,
          "a loop is unrolled from 1 to " + MOST_UNROLLED + " times, not " + times);
    }
  }

  /** Does neighbouring steps of a loop in the lanes of a vector. */
  public record Vector(String axis, int lanes) implements Step {
    /** Checks the number. */
    public Vector {
      require(
          lanes >= 1 && lanes <= MOST_LANES && Integer.bitCount(lanes) == 1,
          "vectors have 2, 4, 8, … or " + MOST_LANES + " lanes, not " + lanes);
    }
  }

  /** Copies what a node's reads touch inside the blocks into a local array first. */
  public record Cache(String axis) implements Step {}

  /** Copies the steps. */
  public Schedule {
    steps = List.copyOf(steps);
  }

  /**
   * Reads a schedule as {@link #toString} prints it.
   *
   * @throws IllegalArgumentException if a step is not one
   */
  public static Schedule parse(String text) {
    List<Step> steps = new ArrayList<>();
    for (String part : text.split(";", -1)) {
      String[] words = part.strip().split(" +", -1);
      if (part.isBlank()) {
        continue;
      }
      steps.add(
          switch (words[0]) {
            case "parallel" -> new Parallel(axis(part, words, 2));
            case "block" -> new Block(axis(part, words, 3), number(part, words[2]));
            case "reorder" -> new Reorder(List.of(words).subList(1, words.length));
            case "unroll" -> new Unroll(axis(part, words, 3), number(part, words[2]));
            case "vector" -> new Vector(axis(part, words, 3), number(part, words[2]));
            case "cache" -> new Cache(axis(part, words, 2));
            default -> throw noStep(part, null);
          });
    }
    return new Schedule(steps);
  }

  private static String axis(String step, String[] words, int count) {
    if (words.length != count) {
      throw noStep(step, null);
    }
    return words[1];
  }

  private static int number(String step, String word) {
    try {
      return Integer.parseInt(word);
    } catch (NumberFormatException e) {
      throw noStep(step, e);
    }
  }

  private static IllegalArgumentException noStep(String step, @Nullable Throwable cause) {
    return new IllegalArgumentException(
        ("'%s' is no step of a schedule; there are parallel AXIS, block AXIS N, reorder "
                + "AXIS..., unroll AXIS N, vector AXIS N and cache NODE")
            .formatted(step.strip()),
        cause);
  }

  /**
   * Reads schedules by target node as {@link #print} writes them; lines that begin with # are not
   * read.
   *
   * @throws SyntaxException if a line is not one, with its number
   */
  public static Map<String, Schedule> parseAll(String text) {
    Map<String, Schedule> schedules = new LinkedHashMap<>();
    int number = 0;
    for (String line : text.lines().toList()) {
      number++;
      if (line.isBlank() || line.startsWith("#")) {
        continue;
      }
      int colon = line.indexOf(':');
      String node = line.substring(0, Math.max(0, colon)).strip();
      if (node.isEmpty() || schedules.containsKey(node)) {
        throw new SyntaxException(
            number,
            "line " + number + " is '" + line + "'; write one line 'NODE: STEP; …' for each node",
            null);
      }
      try {
        schedules.put(node, parse(line.substring(colon + 1)));
      } catch (IllegalArgumentException e) {
        throw new SyntaxException(number, "line " + number + ": " + e.getMessage(), e);
      }
    }
    return schedules;
  }

  /** Writes schedules by target node, a line each. */
  public static String print(Map<String, Schedule> schedules) {
    return schedules.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .map(entry -> entry.getKey() + ": " + entry.getValue() + "\n")
        .collect(Collectors.joining());
  }

  /** Refuses this as the schedule of an assignment. */
  public IllegalArgumentException refused(Assign a, String why) {
    return new IllegalArgumentException(
        "the schedule '%s' does not fit %s: %s".formatted(this, a, why));
  }

  /** Returns the steps of a kind, in order. */
  public <S extends Step> List<S> of(Class<S> kind) {
    return steps.stream().filter(kind::isInstance).map(kind::cast).toList();
  }

  /** Returns the axis of the first step of a kind, or an empty name. */
  public String first(Class<? extends Step> kind) {
    return of(kind).stream().map(Step::axis).findFirst().orElse("");
  }

  /** Returns how many lanes the vectors along an axis have; 1 without vectors. */
  public int lanes(String axis) {
    return of(Vector.class).stream().filter(on(axis)).mapToInt(Vector::lanes).findFirst().orElse(1);
  }

  /** Returns how many elements or vectors a step along an axis does. */
  public int unroll(String axis) {
    return of(Unroll.class).stream().filter(on(axis)).mapToInt(Unroll::times).findFirst().orElse(1);
  }

  private static Predicate<Step> on(String axis) {
    return step -> Objects.equals(step.axis(), axis);
  }

  @Override
  public String toString() {
    return steps.stream()
        .map(
            step ->
                switch (step) {
                  case Parallel s -> "parallel " + s.axis();
                  case Block s -> "block " + s.axis() + " " + s.size();
                  case Reorder s -> "reorder " + s.axis();
                  case Unroll s -> "unroll " + s.axis() + " " + s.times();
                  case Vector s -> "vector " + s.axis() + " " + s.lanes();
                  case Cache s -> "cache " + s.axis();
                })
        .collect(Collectors.joining("; "));
  }
}
