package dev.rialto.system;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The arguments of a program: words, and options as {@code --name value} or {@code --name=value}
 * that follow them. The last value of a repeated option counts.
 */
public final class Arguments {
  private final List<String> words = new ArrayList<>();
  private final Map<String, Optional<String>> options = new LinkedHashMap<>();

  private Arguments() {}

  /** Reads arguments; everything is accepted, since only the program knows its options. */
  public static Arguments of(String... args) {
    Arguments read = new Arguments();
    for (int i = 0; i < args.length; i++) {
      int equals = args[i].indexOf('=');
      if (!args[i].startsWith("--")) {
        if (read.options.isEmpty()) {
          read.words.add(args[i]);
        }
      } else if (equals > 0) {
        read.options.put(args[i].substring(0, equals), Optional.of(args[i].substring(equals + 1)));
      } else if (i + 1 < args.length && !args[i + 1].startsWith("--")) {
        read.options.put(args[i], Optional.of(args[++i]));
      } else {
        read.options.put(args[i], Optional.empty());
      }
    }
    return read;
  }

  /** Returns a word, counted from 0, or {@code otherwise} where there are fewer. */
  public String word(int place, String otherwise) {
    return place < words.size() ? words.get(place) : otherwise;
  }

  /**
   * Returns a word as {@link #word} does, as a number.
   *
   * @throws IllegalArgumentException if it is not a whole number
   */
  public int number(int place, int otherwise) {
    return number("argument " + (place + 1), word(place, Integer.toString(otherwise)));
  }

  /**
   * Returns the value of an option such as {@code --file}, or {@code otherwise} if it is not given.
   *
   * @throws IllegalArgumentException if it is given without a value
   */
  public String option(String name, String otherwise) {
    return options
        .getOrDefault(name, Optional.of(otherwise))
        .orElseThrow(() -> new IllegalArgumentException(name + " needs a value"));
  }

  /**
   * Returns the value of an option as {@link #option} does, as a number.
   *
   * @throws IllegalArgumentException if it is given without a value, or is not a whole number
   */
  public int number(String name, int otherwise) {
    return number(name, option(name, Integer.toString(otherwise)));
  }

  private static int number(String name, String value) {
    try {
      return Integer.parseInt(value);
    } catch (NumberFormatException _) {
      throw new IllegalArgumentException(name + " '" + value + "' is not a whole number");
    }
  }
}
