package dev.rialto.text;

import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The width of what is written to.
 *
 * <p>If {@code COLUMNS} is set, it is that width. Else the launcher has asked the terminal, which
 * is a matter of one word in a shell and of native code in Java, and says so with {@code
 * -Drialto.columns}. What does not go to a terminal has no width: it is searched and pasted.
 */
public final class Terminal {
  /** The width of a line that may have any. */
  public static final int UNLIMITED = Integer.MAX_VALUE;

  /** The width of a terminal that does not tell. */
  public static final int USUAL = 80;

  /** Below this, something other than a width was said. */
  private static final int NARROWEST = 20;

  private Terminal() {}

  /**
   * Returns how many characters a line on standard output has room for.
   *
   * @return the number; {@link #UNLIMITED} if it is not a terminal
   */
  public static int outputColumns() {
    return outputColumns(System::getenv, System::getProperty);
  }

  /**
   * Returns how many characters a line on standard error has room for, where it is a terminal.
   *
   * @return the number
   */
  public static int errorColumns() {
    return told(System::getenv, System::getProperty, USUAL);
  }

  static int outputColumns(
      Function<String, @Nullable String> environment,
      Function<String, @Nullable String> properties) {
    boolean terminal = Boolean.parseBoolean(properties.apply("rialto.stdout.terminal"));
    return terminal
        ? told(environment, properties, USUAL)
        : told(environment, _ -> null, UNLIMITED);
  }

  private static int told(
      Function<String, @Nullable String> environment,
      Function<String, @Nullable String> properties,
      int otherwise) {
    return Stream.of(environment.apply("COLUMNS"), properties.apply("rialto.columns"))
        .map(text -> text == null ? "" : text)
        .filter(text -> text.matches("\\d{1,6}"))
        .map(Integer::parseInt)
        .filter(columns -> columns >= NARROWEST)
        .findFirst()
        .orElse(otherwise);
  }
}
